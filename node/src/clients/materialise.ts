import type { Workload } from "../workload/workload.js";
import { type Call, Calls } from "./calls.js";

type Values = readonly unknown[];

/** How libraries take a command's arguments: `get(key)`, `lPush(key, [element, …])`, `mGet([key, …])`. */
const SPREADS: readonly ((words: readonly string[]) => Values)[] = [
  (words) => words,
  ([first, ...rest]) => [first, rest],
  (words) => [words],
];

/** What a library would send for a call of its method, or undefined when it has no such method or refuses. */
export type Rehearsal = (method: string, values: Values) => readonly unknown[] | undefined;

/** A library's own way to send commands that it has no method for. */
export type Fallback = (words: readonly string[]) => Call;

type CallMaker = (values: readonly string[]) => Call;

/**
 * Every command of the workload as a call.
 *
 * No command is a special case: a call is right when the library would send exactly the words of the workload for it.
 */
export function materialise(workload: Workload, rehearse: Rehearsal, fallback: Fallback): Calls {
  const makers: CallMaker[] = [];
  const kinds = Uint8Array.from({ length: workload.length }, (_, index) => workload.kind(index));
  return new Calls(kinds, workload.header.mix.length, (index) => {
    const kind = workload.kind(index);
    const values = workload.arguments(index);
    makers[kind] ??= makerFor(workload.command(index).name, values, rehearse, fallback);
    return makers[kind](values);
  });
}

function makerFor(name: string, sample: readonly string[], rehearse: Rehearsal, fallback: Fallback): CallMaker {
  const words = name.split(" ");
  const method = words.join("_").toUpperCase();
  const spread = SPREADS.find((form) => isSame(rehearse(method, form(sample)), [...words, ...sample]));
  if (spread === undefined) {
    return (values) => fallback([...words, ...values]);
  }
  return (values) => ({ method, values: spread(values) });
}

function isSame(sent: readonly unknown[] | undefined, words: readonly string[]): boolean {
  return sent?.length === words.length && sent.every((word, index) => isSameWord(word, words[index], index));
}

/** Command names are the same in either case. */
function isSameWord(sent: unknown, word: string | undefined, index: number): boolean {
  return sent === word || (index === 0 && String(sent).toUpperCase() === word?.toUpperCase());
}
