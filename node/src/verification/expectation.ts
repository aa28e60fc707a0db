import type { Argument } from "../workload/header.js";
import type { Word, WordType, Workload } from "../workload/workload.js";

const SHOWN = 60;

/** What is wrong with the reply to command `index`, or undefined if it is right. */
export function mismatch(workload: Workload, index: number, reply: unknown): string | undefined {
  if (reply instanceof Error) {
    return `must be no error, not ${shown(reply.message)}`;
  }
  const { name, arguments: words } = workload.command(index);
  const key = workload.keyNumber(index);
  switch (name.toUpperCase()) {
    case "GET":
      return mismatchOfGet(workload, key, reply);
    case "MGET":
      return mismatchOfSeveral(
        workload,
        words.map((word) => key + offsetOf(word)),
        reply,
      );
    case "LRANGE":
      return mismatchOfSeveral(workload, Array(lengthOf(words)).fill(key), reply);
    case "HGETALL":
      return mismatchOfHash(workload, key, reply);
    case "SET":
    case "MSET":
    case "LTRIM":
      return mismatchOf("OK", reply);
    case "INCRBY":
    case "LPUSH":
      return Number.isInteger(reply) && Number(reply) > 0 ? undefined : `must be a number above 0, not ${shown(reply)}`;
    case "SADD":
    case "ZADD":
      return mismatchOf(0, reply);
    case "EXPIRE":
      return mismatchOf(1, reply);
    case "PING":
      return mismatchOf("PONG", reply);
    default:
      return undefined;
  }
}

function offsetOf(word: Argument | undefined): number {
  return word?.kind === "key" ? (word.offset ?? 0) : 0;
}

/** How many elements an LRANGE returns: no list is shorter. */
function lengthOf(words: readonly Argument[]): number {
  const [first = 0, last = 0] = words.flatMap((word) => (word.kind === "literal" ? [Number(word.text)] : []));
  return last - first + 1;
}

function mismatchOfSeveral(workload: Workload, keys: readonly number[], reply: unknown): string | undefined {
  if (!Array.isArray(reply) || reply.length !== keys.length) {
    return `must be ${keys.length} values, not ${shown(reply)}`;
  }
  return keys.map((key, place) => mismatchOfGet(workload, key, reply[place])).find((wrong) => wrong !== undefined);
}

function mismatchOfHash(workload: Workload, key: number, reply: unknown): string | undefined {
  if (typeof reply !== "object" || reply === null || Array.isArray(reply)) {
    return `must be fields with values, not ${shown(reply)}`;
  }
  return mismatchOfSeveral(workload, Array(workload.header.hashFields).fill(key), Object.values(reply));
}

/** The command as people write it. */
export function commandText(workload: Workload, index: number): string {
  const words = [workload.command(index).name, ...workload.arguments(index)];
  return `command ${index} of the workload, ${words.map((word) => shortened(String(word))).join(" ")}`;
}

function mismatchOf(expected: string | number | null, reply: unknown): string | undefined {
  return reply === expected ? undefined : `must be ${shown(expected)}, not ${shown(reply)}`;
}

/** Another process may since have changed the value's size: any beginning of it is right. */
function mismatchOfGet(workload: Workload, key: number, reply: unknown): string | undefined {
  const { preloadKeys, valueSizeMin, valueSizeMax } = workload.header;
  if (key >= preloadKeys) {
    return mismatchOf(null, reply);
  }
  if (reply === null) {
    return "must be a value, but the key does not exist: preload the target";
  }
  if (!isOfType(workload.wordType, reply)) {
    return `must be a value as ${workload.wordType}, not ${shown(reply)}`;
  }
  if (reply.length < valueSizeMin || reply.length > valueSizeMax) {
    return `has ${reply.length} bytes, which is no size of this workload`;
  }
  return mismatchOfValue(workload.value(key, reply.length), reply);
}

function isOfType(type: WordType, reply: unknown): reply is Word {
  return type === "text" ? typeof reply === "string" : Buffer.isBuffer(reply);
}

/** Both have the same type, and every byte of a value is one character. */
function mismatchOfValue(expectedValue: Word, value: Word): string | undefined {
  const [expected, reply] = [expectedValue.toString("latin1"), value.toString("latin1")];
  return reply === expected ? undefined : `is not the value of its key: ${shown(reply)}`;
}

function shown(value: unknown): string {
  return shortened(JSON.stringify(value) ?? String(value));
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
