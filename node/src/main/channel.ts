import process from "node:process";
import { createInterface } from "node:readline";
import type { Description } from "../contract/description.js";
import type { RunnerEvent } from "../contract/events.js";

/** Standard input and output: one JSON object a line. */
export class Channel {
  readonly #input = createInterface({ input: process.stdin, crlfDelay: Infinity });
  readonly #lines = this.#input[Symbol.asyncIterator]();

  /** The next line, or undefined when standard input has ended. */
  async line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  /** Resolves when standard input has ended; what stands on it until then is not read. */
  async ended(): Promise<void> {
    while ((await this.line()) !== undefined) {
      // The harness says nothing after `go`.
    }
  }
}

/** Writes one line on standard output. */
export function print(message: RunnerEvent | Description): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
