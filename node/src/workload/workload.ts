import { InvalidInput } from "../errors.js";
import type { Argument, FileCommand, Header } from "./header.js";
import { KeyMaker } from "./keys.js";

const UINT32_BYTES = 4;

/** What values are, both when they are sent and when they are returned. */
export type WordType = "text" | "bytes";

/** A word of a command: keys and literals are text, values are of the word type. */
export type Word = string | Buffer;

/** The columns of a workload file, as bytes. */
export interface Columns {
  readonly kinds: Buffer;
  readonly keys: Buffer;
  readonly sizes: Buffer;
  readonly block: Buffer;
}

/** The commands of a workload file, and what their replies consist of. */
export class Workload {
  readonly header: Header;
  readonly wordType: WordType;
  readonly #columns: Columns;
  /** How many sizes there can be, including 0. */
  readonly #sizes: number;
  readonly #values = new Map<number, Word>();
  readonly #modulus: number;
  readonly #keys: KeyMaker;

  constructor(header: Header, columns: Columns, wordType: WordType) {
    this.header = header;
    this.wordType = wordType;
    this.#columns = columns;
    this.#sizes = header.valueSizeMax + 1;
    this.#modulus = 2 ** header.valueModulusBits;
    this.#keys = new KeyMaker(header.keyPrefix, header.keyDigits, (index) => this.keyNumber(index));
  }

  /** How many commands it has. */
  get length(): number {
    return this.header.commands;
  }

  /** Index of the command's kind in the mix. */
  kind(index: number): number {
    return this.#columns.kinds.readUInt8(index);
  }

  /** The command's kind. */
  command(index: number): FileCommand {
    const command = this.header.mix[this.kind(index)];
    if (command === undefined) {
      throw new InvalidInput(`its command ${index} is of kind ${this.kind(index)}, which its mix does not have`);
    }
    return command;
  }

  /** Number of the command's key. */
  keyNumber(index: number): number {
    return this.#columns.keys.readUInt32LE(index * UINT32_BYTES);
  }

  /** The command's arguments: all its words except the name, each flat in memory. */
  arguments(index: number): readonly Word[] {
    return this.command(index).arguments.map((argument) => this.#word(argument, index));
  }

  /** A number that is the same for two commands of one kind exactly if their values are the same. */
  numberOfValue(index: number): number {
    return this.#startOf(this.keyNumber(index)) * this.#sizes + this.#size(index);
  }

  /** A number that is the same for two commands of one kind exactly if their keys and sizes are the same. */
  numberOfKeyAndSize(index: number): number {
    return this.keyNumber(index) * this.#sizes + this.#size(index);
  }

  /** The key with this number, as it is sent. */
  key(number: number): string {
    return flat(this.header.keyPrefix + String(number).padStart(this.header.keyDigits, "0"));
  }

  /** The command's key; cheap if commands are requested in order. */
  keyAt(index: number): string {
    return this.#keys.at(index, this.length);
  }

  /** A copy of the first `size` bytes of the value of key number `key`. */
  value(key: number, size: number): Word {
    const start = this.#startOf(key);
    if (start + size > this.#columns.block.length) {
      throw new InvalidInput(`its block is too short for a value of ${size} bytes of key ${key}`);
    }
    const bytes = this.#columns.block.subarray(start, start + size);
    return this.wordType === "text" ? bytes.toString("latin1") : Buffer.from(bytes);
  }

  #startOf(key: number): number {
    return (key * this.header.valueMultiplier) % this.#modulus;
  }

  #size(index: number): number {
    return this.#columns.sizes.readUInt32LE(index * UINT32_BYTES);
  }

  #word(argument: Argument, index: number): Word {
    switch (argument.kind) {
      case "key":
        return this.key(this.keyNumber(index) + (argument.offset ?? 0));
      case "value":
        return this.#sharedValue(this.keyNumber(index) + (argument.offset ?? 0), this.#size(index));
      case "literal":
        return flat(argument.text);
    }
  }

  /** Equal values are one object, so the loop finds them in cache. */
  #sharedValue(key: number, size: number): Word {
    const number = this.#startOf(key) * this.#sizes + size;
    const value = this.#values.get(number) ?? this.value(key, size);
    this.#values.set(number, value);
    return value;
  }
}

/**
 * A copy that is flat in memory, with one byte per character if it is ASCII.
 *
 * Strings made by concatenation or slicing are ropes or views, which V8 would flatten inside the measured loop.
 */
function flat(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
