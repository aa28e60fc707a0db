import process from "node:process";
import { createInterface } from "node:readline";
import type { Description } from "../contract/description.js";
import type { RunnerEvent } from "../contract/events.js";
import type { OrderName } from "../contract/orders.js";
import { duePhrase, parseOrder } from "../contract/parse-order.js";
import { InputEnded, InvalidInput } from "../errors.js";

/** Standard input: the trial, then orders, one JSON object per line. */
export class Channel {
  readonly #input = createInterface({ input: process.stdin, crlfDelay: Infinity });
  readonly #lines = this.#input[Symbol.asyncIterator]();

  /** The line that holds the trial. */
  async trial(): Promise<string> {
    const line = await this.#line();
    if (line === undefined) {
      throw new InvalidInput("standard input is empty: it must start with one trial as JSON on one line");
    }
    return line;
  }

  /** The next order, which must be due. */
  async order<Name extends OrderName>(...due: readonly Name[]) {
    const line = await this.#line();
    if (line === undefined) {
      throw new InputEnded(`standard input ended before the result; due: ${duePhrase(due)}`);
    }
    return parseOrder(line, due);
  }

  /** Resolves when standard input has ended; nothing else may follow `finish`. */
  async ended(): Promise<void> {
    const line = await this.#line();
    if (line !== undefined) {
      parseOrder(line, []);
    }
  }

  async #line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }
}

/** Writes one line to standard output. */
export function print(message: RunnerEvent | Description): void {
  process.stdout.write(`${jsonOf(message)}\n`);
}

/** JSON has integers of any size, but `JSON.stringify` does not: a bigint passes through it as marked text. */
export function jsonOf(message: object): string {
  const marked = JSON.stringify(message, (_, value) => (typeof value === "bigint" ? `\0${value}` : value));
  return marked.replaceAll(MARKED_BIGINT, "$1");
}

const MARKED_BIGINT = /"\\u0000(\d+)"/g;
