import { readFileSync } from "node:fs";
import { type Adapter, type Send, type Sender, Unsupported, type Value } from "./adapter.js";

interface Header {
  readonly commands: number;
  readonly key_bytes: number;
  readonly values: readonly number[];
  readonly kinds: readonly {
    readonly name: string;
    readonly arguments: readonly (string | { readonly text: string })[];
  }[];
  readonly steps: readonly (readonly number[])[];
}

/** Sends command number `index` through a client, a pool or a block. */
export type Commands = (sender: Sender, index: number) => unknown;

const NEWLINE = 0x0a;
const STEP_BYTES = 2;

/**
 * The workload file. A command is two entries in columns that the loop walks in order: its key, a small flat string, and
 * the number of its step. One object a command would cost the measured loop five percent in cache misses and garbage.
 */
export class Workload {
  readonly length: number;
  readonly #header: Header;
  readonly #steps: Uint16Array;
  readonly #keys: Buffer;
  readonly #values: readonly Value[];

  constructor(path: string, values: Adapter["values"]) {
    const content = readFileSync(path);
    const start = content.indexOf(NEWLINE) + 1;
    const header = JSON.parse(content.toString("utf8", 0, start)) as Header;
    const keys = start + header.commands * STEP_BYTES;
    let at = content.length - header.values.reduce((sum, size) => sum + size, 0);
    this.length = header.commands;
    this.#header = header;
    this.#steps = new Uint16Array(content.buffer.slice(content.byteOffset + start, content.byteOffset + keys));
    this.#keys = content.subarray(keys, at);
    this.#values = header.values.map((size) => {
      const bytes = content.subarray(at, at + size);
      at += size;
      return values === "bytes" ? Buffer.from(bytes) : bytes.toString("latin1");
    });
  }

  commands({ commands }: Adapter, client: string): Commands {
    const { kinds, steps } = this.#header;
    const lacking = kinds.filter(({ name }) => commands[name] === undefined).map(({ name }) => name);
    if (lacking.length > 0) {
      throw new Unsupported(`the adapter of ${client} does not send ${lacking.join(", ")}`);
    }
    if (kinds.every(({ name }) => name === "GET" || name === "SET")) {
      return getsAndSets(
        this.#singleKeys(),
        this.#steps,
        steps.map(([, value]) => (value === undefined ? undefined : this.#values[value])),
      );
    }
    const sends = steps.map((step) => {
      const make = commands[kinds[step[0] as number]?.name as string] as (...words: unknown[]) => Send;
      return make(...this.#words(step));
    });
    return anyCommands(this.#groups(), this.#steps, sends);
  }

  /** What follows the key; of several keys, their values go with them. */
  #words([kind, ...values]: readonly number[]): unknown[] {
    const words: unknown[] = [];
    for (const argument of this.#header.kinds[kind as number]?.arguments ?? []) {
      if (typeof argument === "object") {
        words.push(typed(argument.text));
      } else if (argument === "value" && values.length === 1) {
        words.push(this.#values[values[0] as number]);
      }
    }
    return words;
  }

  #key(number: number): string {
    const { key_bytes: bytes } = this.#header;
    // Decoding makes a flat string; a slice of another would be a view that V8 flattens inside the measured loop.
    return this.#keys.toString("latin1", number * bytes, (number + 1) * bytes);
  }

  #singleKeys(): string[] {
    return Array.from({ length: this.length }, (_, index) => this.#key(index));
  }

  /** What each command has as its key. */
  #groups(): unknown[] {
    const counts = this.#header.kinds.map((kind) => kind.arguments.filter((argument) => argument === "key").length);
    let next = 0;
    return Array.from(this.#steps, (number) => {
      const [kind, ...values] = this.#header.steps[number] as readonly number[];
      const keys = Array.from({ length: counts[kind as number] as number }, () => this.#key(next++));
      if (keys.length < 2) {
        return keys[0];
      }
      return values.length === 0 ? keys : keys.flatMap((key, index) => [key, this.#values[values[index] as number]]);
    });
  }
}

function getsAndSets(keys: string[], steps: Uint16Array, values: (Value | undefined)[]): Commands {
  return (sender, index) => {
    const value = values[steps[index] as number];
    return value === undefined ? sender.get(keys[index] as string) : sender.set(keys[index] as string, value);
  };
}

function anyCommands(keys: unknown[], steps: Uint16Array, sends: Send[]): Commands {
  return (sender, index) => (sends[steps[index] as number] as Send)(sender, keys[index]);
}

/** Methods take numbers as numbers. */
function typed(word: string): string | number {
  return String(Number(word)) === word ? Number(word) : word;
}

/** Takes one command after another, cyclically. */
export class Walker {
  /** Index of the next command. */
  position = 0;
  readonly #length: number;
  readonly #offset: number;

  /** Walker `number` of `count`. */
  constructor(length: number, number: number, count: number) {
    this.#length = length;
    this.#offset = Math.floor((number * length) / count);
  }

  goTo(first: number): void {
    this.position = (first + this.#offset) % this.#length;
  }

  /** Takes the next command; returns its index. */
  next(): number {
    const index = this.position;
    this.position = index + 1 === this.#length ? 0 : index + 1;
    return index;
  }
}
