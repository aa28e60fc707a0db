import { readFileSync } from "node:fs";
import { type Adapter, type Send, type Sender, Unsupported, type Value } from "./adapter.js";

interface Kind {
  readonly name: string;
  readonly arguments: readonly ("key" | "value" | { readonly literal: string | number })[];
}

interface Header {
  readonly commands: number;
  readonly key_bytes: number;
  readonly values: readonly number[];
  readonly kinds: readonly Kind[];
  readonly steps: readonly (readonly number[])[];
}

/** Sends command number `index` through a client, a pool or a block. */
export type SendNumber = (sender: Sender, index: number) => unknown;

const STEP_BYTES = 2;

/**
 * Reads a workload file. A command is two entries in columns that the loop walks in order: its key, a small flat string,
 * and the number of its step. One object a command would cost the loop five percent in cache misses and garbage.
 */
export function readCommands(path: string, adapter: Adapter): { readonly length: number; readonly send: SendNumber } {
  const content = readFileSync(path);
  const begin = content.indexOf("\n") + 1;
  const header = JSON.parse(content.toString("utf8", 0, begin)) as Header;
  const { commands: length, kinds } = header;
  const lacking = kinds.filter(({ name }) => adapter.commands[name] === undefined).map(({ name }) => name);
  if (lacking.length > 0 && adapter.any === undefined) {
    throw new Unsupported(`the adapter does not send ${lacking.join(", ")}`);
  }
  const keysBegin = begin + length * STEP_BYTES;
  const steps = new Uint16Array(content.buffer.slice(content.byteOffset + begin, content.byteOffset + keysBegin));
  let at = content.length - header.values.reduce((sum, size) => sum + size, 0);
  // Decoding makes a flat string; a slice of another would be a view that V8 flattens inside the measured loop.
  const keys = Array.from({ length: (at - keysBegin) / header.key_bytes }, (_, number) => {
    const start = keysBegin + number * header.key_bytes;
    return content.toString("latin1", start, start + header.key_bytes);
  });
  const values = header.values.map((size) => {
    const bytes = content.subarray(at, at + size);
    at += size;
    return adapter.values === "bytes" ? Buffer.from(bytes) : bytes.toString("latin1");
  });
  const [own, sends] = [grouped(header, steps, keys, values, adapter), bound(header, adapter, values)];
  return { length, send: (sender, index) => (sends[steps[index] as number] as Send)(sender, own[index]) };
}

/** Each step's function; of several keys, the values go with them. */
function bound({ kinds, steps }: Header, { commands, any }: Adapter, values: Value[]): Send[] {
  return steps.map(([number, ...own]) => {
    const kind = kinds[number as number] as Kind;
    const words = kind.arguments
      .filter((word) => word !== "key")
      .map((word) => (word === "value" ? (values[own.shift() as number] as Value) : word.literal));
    const make = commands[kind.name] as ((...words: unknown[]) => Send) | undefined;
    return make?.(...words) ?? (any as Send);
  });
}

/** All words of a command that has no method of its own, in the order in which they are sent. */
function spelled(kind: Kind, keys: Value[], values: Value[]): Value[] {
  const [nextKey, nextValue] = [keys.values(), values.values()];
  const words = kind.arguments.map((word) =>
    typeof word === "object" ? String(word.literal) : ((word === "key" ? nextKey : nextValue).next().value as Value),
  );
  return [kind.name, ...words];
}

/** What each command has as its key: its keys where it has several, all of its words where it has no method. */
function grouped(
  { kinds, steps }: Header,
  numbers: Uint16Array,
  keys: string[],
  values: Value[],
  { commands, pairs = (words) => words, words = (all) => all }: Adapter,
): unknown[] {
  const counts = kinds.map((kind) => kind.arguments.filter((word) => word === "key").length);
  let next = 0;
  return Array.from(numbers, (number) => {
    const [kind, ...own] = steps[number] as readonly number[];
    const some = Array.from({ length: counts[kind as number] as number }, () => keys[next++] as string);
    const made = kinds[kind as number] as Kind;
    if (commands[made.name] === undefined) {
      const given = own.map((place) => values[place] as Value);
      return words(spelled(made, some, given), some);
    }
    if (some.length < 2) {
      return some[0];
    }
    return own.length === 0 ? some : pairs(some.flatMap((key, index) => [key, values[own[index] as number]]));
  });
}
