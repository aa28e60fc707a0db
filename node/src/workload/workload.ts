import { InvalidInput } from "../errors.js";
import type { Argument, FileCommand, Header } from "./header.js";
import { KeyMaker } from "./keys.js";

const UINT32_BYTES = 4;

/** What values are, when they are sent and when they come back. */
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

/** The commands of a workload file, and what their replies must be made of. */
export class Workload {
  readonly header: Header;
  readonly wordType: WordType;
  readonly #columns: Columns;
  /** How many sizes there are, 0 included. */
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

  /** Index in the mix of the command's kind. */
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

  /** The command's arguments: all its words but the name, each flat in memory. */
  arguments(index: number): readonly Word[] {
    return this.command(index).arguments.map((argument) => this.#word(argument, index));
  }

  /** A number that the command shares with those that have the same value, and no others of its kind. */
  numberOfValue(index: number): number {
    return this.#startOf(this.keyNumber(index)) * this.#sizes + this.#size(index);
  }

  /** A number that the command shares with those that have the same key and the same value, and no others of its kind. */
  numberOfKeyAndSize(index: number): number {
    return this.keyNumber(index) * this.#sizes + this.#size(index);
  }

  /** The key with this number, as it is sent. */
  key(number: number): string {
    return flat(this.header.keyPrefix + String(number).padStart(this.header.keyDigits, "0"));
  }

  /** The command's key; costs little when commands are asked for in order. */
  keyAt(index: number): string {
    return this.#keys.at(index, this.length);
  }

  /** The first `size` bytes of the value of key number `key`, a copy of their own. */
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

  /** Equal values are one object, so that the loop finds them in cache. */
  #sharedValue(key: number, size: number): Word {
    const number = this.#startOf(key) * this.#sizes + size;
    const value = this.#values.get(number) ?? this.value(key, size);
    this.#values.set(number, value);
    return value;
  }
}

/**
 * A copy that lies flat in memory, one byte a character if it is ASCII.
 *
 * Strings made by concatenation or slicing are ropes or views, which V8 would flatten inside the measured loop.
 */
function flat(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
