import { Unsupported } from "../errors.js";
import type { FileCommand } from "../workload/header.js";
import type { Word, Workload } from "../workload/workload.js";
import { type Call, Calls } from "./calls.js";

type Values = readonly unknown[];

/**
 * How libraries take a command's arguments: `get(key)`, `lPush(key, [element, …])`, `mGet([key, …])`,
 * `zAdd(key, { score, value })`.
 */
const SPREADS: readonly ((words: Values) => Values)[] = [
  (words) => words,
  ([first, ...rest]) => [first, rest],
  (words) => [words],
  ([key, score, value]) => [key, { score, value }],
];

/** What a library would send for a call of its method, or undefined if it has no such method or refuses the values. */
export type Rehearsal = (method: string, values: Values) => readonly unknown[] | undefined;

type CallMaker = (words: readonly Word[]) => Call;

/** How the commands of one kind become calls. */
interface Kind {
  readonly callOf: CallMaker;
  /** Whether the call's first value is a key, and its only one. */
  readonly takesKeyFirst: boolean;
  /** A number that is the same for two commands if nothing else in their calls differs. */
  readonly difference: (workload: Workload, index: number) => number;
  /** Numbers of the variants, by that number. */
  readonly variants: Map<number, number>;
}

/**
 * Every command of the workload as a call.
 *
 * No command is a special case: a call is right if the library would send exactly the workload's words for it.
 * A command without such a call is refused: users could only send it as raw words.
 */
export function materialise(workload: Workload, rehearse: Rehearsal): Calls {
  const calls = new Calls(workload.length);
  const kinds: Kind[] = [];
  for (let index = 0; index < workload.length; index += 1) {
    const number = workload.kind(index);
    kinds[number] ??= kindOf(workload.command(index), workload.arguments(index), rehearse);
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

function kindOf(command: FileCommand, sample: readonly Word[], rehearse: Rehearsal): Kind {
  const callOf = makerFor(command, sample, rehearse);
  const keys = command.arguments.filter(({ kind }) => kind === "key").length;
  const takesKeyFirst = keys === 1 && command.arguments[0]?.kind === "key" && callOf(sample).values[0] === sample[0];
  return { callOf, takesKeyFirst, difference: differenceOf(command, takesKeyFirst ? 0 : keys), variants: new Map() };
}

/** `keys`: how many keys the call has that are not its first value. */
function differenceOf({ arguments: words }: FileCommand, keys: number): Kind["difference"] {
  if (keys > 0) {
    return (workload, index) => workload.numberOfKeyAndSize(index);
  }
  return words.some(({ kind }) => kind === "value") ? (workload, index) => workload.numberOfValue(index) : () => 0;
}

function makerFor(command: FileCommand, sample: readonly Word[], rehearse: Rehearsal): CallMaker {
  const words = command.name.split(" ");
  const method = words.join("_").toUpperCase();
  const spread = SPREADS.find((form) => isSame(rehearse(method, form(typed(command, sample))), [...words, ...sample]));
  if (spread === undefined) {
    throw new Unsupported(`the library has no method that sends ${command.name} as the workload has it: leave it out`);
  }
  return (values) => ({ method, values: spread(typed(command, values)) });
}

/** Methods take numbers as numbers. */
function typed(command: FileCommand, words: readonly Word[]): Values {
  return words.map((word, place) =>
    command.arguments[place]?.kind === "literal" && String(Number(word)) === word ? Number(word) : word,
  );
}

function isSame(sent: readonly unknown[] | undefined, words: readonly Word[]): boolean {
  return sent?.length === words.length && sent.every((word, index) => isSameWord(word, words[index], index));
}

/** Command names are case-insensitive. */
function isSameWord(sent: unknown, word: Word | undefined, index: number): boolean {
  return sent === word || (index === 0 && String(sent).toUpperCase() === word?.toString().toUpperCase());
}
