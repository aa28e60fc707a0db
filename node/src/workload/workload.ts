import { InvalidTrial } from "../errors.js";
import type { Argument, FileCommand, Header } from "./header.js";

const UINT32_BYTES = 4;

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
  readonly #columns: Columns;

  constructor(header: Header, columns: Columns) {
    this.header = header;
    this.#columns = columns;
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
      throw new InvalidTrial(`its command ${index} is of kind ${this.kind(index)}, which its mix does not have`);
    }
    return command;
  }

  /** Number of the command's key. */
  keyNumber(index: number): number {
    return this.#columns.keys.readUInt32LE(index * UINT32_BYTES);
  }

  /** The command's arguments: all its words but the name, each flat in memory. */
  arguments(index: number): readonly string[] {
    return this.command(index).arguments.map((argument) => this.#word(argument, index));
  }

  /** The key with this number, as it is sent. */
  key(number: number): string {
    return flat(this.header.keyPrefix + String(number).padStart(this.header.keyDigits, "0"));
  }

  /** The first `size` bytes of the value of key number `key`. */
  value(key: number, size: number): string {
    const { valueMultiplier, valueModulusBits } = this.header;
    const start = (key * valueMultiplier) % 2 ** valueModulusBits;
    if (start + size > this.#columns.block.length) {
      throw new InvalidTrial(`its block is too short for a value of ${size} bytes of key ${key}`);
    }
    return this.#columns.block.toString("latin1", start, start + size);
  }

  #word(argument: Argument, index: number): string {
    switch (argument.kind) {
      case "key":
        return this.key(this.keyNumber(index));
      case "value":
        return this.value(this.keyNumber(index), this.#columns.sizes.readUInt32LE(index * UINT32_BYTES));
      case "literal":
        return flat(argument.text);
    }
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
