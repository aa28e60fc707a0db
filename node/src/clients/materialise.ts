import type { FileCommand } from "../workload/header.js";
import type { Word, Workload } from "../workload/workload.js";
import { type Call, Calls } from "./calls.js";

type Values = readonly unknown[];

/** How libraries take a command's arguments: `get(key)`, `lPush(key, [element, …])`, `mGet([key, …])`. */
const SPREADS: readonly ((words: readonly Word[]) => Values)[] = [
  (words) => words,
  ([first, ...rest]) => [first, rest],
  (words) => [words],
];

/** What a library would send for a call of its method, or undefined when it has no such method or refuses. */
export type Rehearsal = (method: string, values: Values) => readonly unknown[] | undefined;

/** A library's own way to send commands that it has no method for. */
export type Fallback = (words: readonly Word[]) => Call;

type CallMaker = (words: readonly Word[]) => Call;

/** How the commands of one kind become calls. */
interface Kind {
  readonly callOf: CallMaker;
  /** Whether the call takes a key first, and has none elsewhere. */
  readonly takesKeyFirst: boolean;
  /** What else of the call differs from command to command, as a number. */
  readonly difference: (workload: Workload, index: number) => number;
  /** Numbers of the variants, by that difference. */
  readonly variants: Map<number, number>;
}

/**
 * Every command of the workload as a call.
 *
 * No command is a special case: a call is right when the library would send exactly the words of the workload for it.
 */
export function materialise(workload: Workload, rehearse: Rehearsal, fallback: Fallback): Calls {
  const calls = new Calls(workload.length);
  const kinds: Kind[] = [];
  for (let index = 0; index < workload.length; index += 1) {
    const number = workload.kind(index);
    kinds[number] ??= kindOf(workload.command(index), workload.arguments(index), rehearse, fallback);
    const kind = kinds[number];
    const variant = variantOf(kind, calls, workload, index);
    if (kind.takesKeyFirst) {
      calls.put(index, variant, workload.keyAt(index));
    } else {
      calls.put(index, variant);
    }
  }
  return calls;
}

function variantOf({ callOf, difference, variants }: Kind, calls: Calls, workload: Workload, index: number): number {
  const distinct = difference(workload, index);
  const known = variants.get(distinct);
  if (known !== undefined) {
    return known;
  }
  const added = calls.add(callOf(workload.arguments(index)));
  variants.set(distinct, added);
  return added;
}

function kindOf(command: FileCommand, sample: readonly Word[], rehearse: Rehearsal, fallback: Fallback): Kind {
  const callOf = makerFor(command.name, sample, rehearse, fallback);
  const keys = command.arguments.filter(({ kind }) => kind === "key").length;
  const takesKeyFirst = keys === 1 && command.arguments[0]?.kind === "key" && callOf(sample).values[0] === sample[0];
  return { callOf, takesKeyFirst, difference: differenceOf(command, takesKeyFirst ? 0 : keys), variants: new Map() };
}

/** `keys`: how many the call has that are not its first value. */
function differenceOf({ arguments: words }: FileCommand, keys: number): Kind["difference"] {
  if (keys > 0) {
    return (workload, index) => workload.numberOfKeyAndSize(index);
  }
  return words.some(({ kind }) => kind === "value") ? (workload, index) => workload.numberOfValue(index) : () => 0;
}

function makerFor(name: string, sample: readonly Word[], rehearse: Rehearsal, fallback: Fallback): CallMaker {
  const words = name.split(" ");
  const method = words.join("_").toUpperCase();
  const spread = SPREADS.find((form) => isSame(rehearse(method, form(sample)), [...words, ...sample]));
  if (spread === undefined) {
    return (values) => fallback([...words, ...values]);
  }
  return (values) => ({ method, values: spread(values) });
}

function isSame(sent: readonly unknown[] | undefined, words: readonly Word[]): boolean {
  return sent?.length === words.length && sent.every((word, index) => isSameWord(word, words[index], index));
}

/** Command names are the same in either case. */
function isSameWord(sent: unknown, word: Word | undefined, index: number): boolean {
  return sent === word || (index === 0 && String(sent).toUpperCase() === word?.toString().toUpperCase());
}
