import { InvalidInput } from "../errors.js";
import { SCHEMA_VERSION } from "./version.js";

/** A JSON object whose fields are all known; `path` says where it is. */
export interface Fields {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Bounds of an integer, both inclusive. */
export interface Bounds {
  readonly least?: number;
  readonly most?: number;
}

/** Parses a line of JSON. The engine's own message repeats the input, which may hold a password, so it is left out. */
export function parseJson(line: string, what: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new InvalidInput(`${what} is not JSON: it must be one JSON object on one line`);
  }
}

/** Takes `value` as an object that has no fields other than `allowed`. */
export function fieldsOf(value: unknown, path: string, allowed: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidInput(`${path} must be a JSON object, not ${shown(value)}`);
  }
  const unknown = Object.keys(value).find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    throw new InvalidInput(`${path} has no field ${JSON.stringify(unknown)}: its fields are ${allowed.join(", ")}`);
  }
  return { path, values: value as Record<string, unknown> };
}

/** Whether the field is present and not null. */
export function has(fields: Fields, name: string): boolean {
  return fields.values[name] !== undefined && fields.values[name] !== null;
}

/** The field's value as it is; refuses a missing field. */
export function required(fields: Fields, name: string): unknown {
  const value = fields.values[name];
  if (value === undefined) {
    throw new InvalidInput(`${at(fields, name)} is missing`);
  }
  return value;
}

/** Text that is not empty. */
export function text(fields: Fields, name: string): string {
  const value = required(fields, name);
  if (typeof value !== "string" || value === "") {
    throw wrong(fields, name, "a text that is not empty");
  }
  return value;
}

/** Text that may be empty, null or absent. */
export function optionalText(fields: Fields, name: string): string | null {
  const value = fields.values[name] ?? null;
  if (value !== null && typeof value !== "string") {
    throw wrong(fields, name, "a text or null");
  }
  return value;
}

/** An integer within bounds; absent: `fallback`, if there is one. */
export function integer(fields: Fields, name: string, bounds: Bounds = {}, fallback?: number): number {
  if (fallback !== undefined && fields.values[name] === undefined) {
    return fallback;
  }
  const value = required(fields, name);
  if (!isWithin(value, bounds)) {
    throw wrong(fields, name, `an integer${range(bounds)}`);
  }
  return value;
}

/** An integer within bounds, or null if it is null or absent. */
export function optionalInteger(fields: Fields, name: string, bounds: Bounds = {}): number | null {
  return has(fields, name) ? integer(fields, name, bounds) : null;
}

/** True or false; absent: `fallback`, if there is one. */
export function flag(fields: Fields, name: string, fallback?: boolean): boolean {
  const value = fields.values[name] ?? fallback ?? required(fields, name);
  if (typeof value !== "boolean") {
    throw wrong(fields, name, "true or false");
  }
  return value;
}

/** One of the allowed words. */
export function oneOf<Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word {
  const value = required(fields, name);
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) {
    throw wrong(fields, name, `one of ${words.join(", ")}`);
  }
  return word;
}

/** Refuses any version of the format but this runner's. */
export function checkSchemaVersion(fields: Fields): void {
  const version = integer(fields, "schema_version", { least: 1 });
  if (version !== SCHEMA_VERSION) {
    const older = version > SCHEMA_VERSION ? "the runner" : "what wrote it";
    throw new InvalidInput(
      `${at(fields, "schema_version")} is ${version}, and this runner reads ${SCHEMA_VERSION}: update ${older}`,
    );
  }
}

/** The complaint about one field: what it must be and what it is. */
export function wrong(fields: Fields, name: string, expected: string): InvalidInput {
  return new InvalidInput(`${at(fields, name)} must be ${expected}, not ${shown(fields.values[name])}`);
}

/** Where a field is. */
export function at(fields: Fields, name: string): string {
  return `${fields.path}.${name}`;
}

function isWithin(value: unknown, { least = -Infinity, most = Infinity }: Bounds): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function range({ least, most }: Bounds): string {
  if (least !== undefined && most !== undefined) {
    return ` from ${least} to ${most}`;
  }
  return least === undefined ? "" : `, ${least} or more`;
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? "absent";
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
