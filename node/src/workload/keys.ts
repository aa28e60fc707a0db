import { isAscii } from "node:buffer";
import { InvalidInput } from "../errors.js";

const ZERO = 0x30;
const PAGE = 4096;
/** From this length on, V8 makes a substring a view of the whole string; shorter ones are copies. */
const SHORTEST_VIEW = 13;

/**
 * Makes the keys of commands that are requested in order, each a separate string that is flat in memory.
 *
 * It writes a page of them at a time: cutting a short key from a page's text costs half as much as decoding its bytes.
 */
export class KeyMaker {
  readonly #digits: number;
  readonly #width: number;
  readonly #numberOf: (index: number) => number;
  readonly #bytes: Buffer;
  readonly #areShort: boolean;
  readonly #encoding: "latin1" | "utf8";
  /** The same page as text, if keys are cut from it. */
  #text = "";
  #from = -1;
  #until = -1;

  constructor(prefix: string, digits: number, numberOf: (index: number) => number) {
    const key = Buffer.from(prefix + "0".repeat(digits), "utf8");
    const isPlain = isAscii(key);
    this.#digits = digits;
    this.#width = key.length;
    this.#numberOf = numberOf;
    this.#bytes = Buffer.alloc(PAGE * key.length, key);
    this.#areShort = isPlain && key.length < SHORTEST_VIEW;
    this.#encoding = isPlain ? "latin1" : "utf8";
  }

  /** The key of command `index` of `count`. */
  at(index: number, count: number): string {
    if (index < this.#from || index >= this.#until) {
      this.#turnTo(index, Math.min(index + PAGE, count));
    }
    const begin = (index - this.#from) * this.#width;
    const end = begin + this.#width;
    return this.#areShort ? this.#text.substring(begin, end) : this.#bytes.toString(this.#encoding, begin, end);
  }

  #turnTo(from: number, until: number): void {
    this.#from = from;
    this.#until = until;
    for (let index = from, end = this.#width; index < until; index += 1, end += this.#width) {
      this.#write(this.#numberOf(index), end);
    }
    this.#text = this.#areShort ? this.#bytes.toString("latin1", 0, (until - from) * this.#width) : "";
  }

  /** Writes a number, zero-padded, ending before byte `end`. */
  #write(number: number, end: number): void {
    let rest = number;
    for (let at = end - 1; at >= end - this.#digits; at -= 1) {
      const tenth = (rest / 10) >>> 0;
      this.#bytes[at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    if (rest > 0) {
      throw new InvalidInput(`its key ${number} has more than ${this.#digits} digits, its key_digits`);
    }
  }
}
