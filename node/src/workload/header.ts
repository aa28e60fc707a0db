import * as read from "../contract/fields.js";

/** One word of a command; `offset` is added to the number of the command's key. */
export type Argument =
  | { readonly kind: "key"; readonly offset?: number }
  | { readonly kind: "value"; readonly offset?: number }
  | { readonly kind: "literal"; readonly text: string };

/** One kind of command; a column of the file holds its index. */
export interface FileCommand {
  readonly name: string;
  readonly arguments: readonly Argument[];
}

/** Where a column is in the file, in bytes. */
export interface Section {
  readonly offset: number;
  readonly length: number;
}

/** The JSON header of a workload file. */
export interface Header {
  /** Rows in the columns. */
  readonly commands: number;
  /** Keys from this number on do not exist. */
  readonly preloadKeys: number;
  readonly keyPrefix: string;
  readonly keyDigits: number;
  readonly valueMultiplier: number;
  readonly valueModulusBits: number;
  readonly valueSizeMin: number;
  readonly valueSizeMax: number;
  /** Fields of each preloaded hash. */
  readonly hashFields: number;
  readonly mix: readonly FileCommand[];
  readonly kinds: Section;
  readonly keys: Section;
  readonly sizes: Section;
  readonly block: Section;
}

const NUMBERS = [
  "commands",
  "preload_keys",
  "key_digits",
  "value_multiplier",
  "value_modulus_bits",
  "value_size_min",
  "value_size_max",
  "hash_fields",
];
const SECTIONS = ["kinds", "keys", "sizes", "block"];
const FIELDS = ["schema_version", "name", "seed", "key_prefix", "mix", ...NUMBERS, ...SECTIONS];

/** Parses the header of a workload file. */
export function parseHeader(value: unknown): Header {
  const fields = read.fieldsOf(value, "workload header", FIELDS);
  read.checkSchemaVersion(fields);
  const positive = (name: string) => read.integer(fields, name, { least: 1 });
  const section = (name: string) => parseSection(read.required(fields, name), read.at(fields, name));
  return {
    commands: positive("commands"),
    preloadKeys: positive("preload_keys"),
    keyPrefix: read.optionalText(fields, "key_prefix") ?? "",
    keyDigits: positive("key_digits"),
    valueMultiplier: positive("value_multiplier"),
    valueModulusBits: positive("value_modulus_bits"),
    valueSizeMin: positive("value_size_min"),
    valueSizeMax: positive("value_size_max"),
    hashFields: positive("hash_fields"),
    mix: list(fields, "mix").map((command, index) => parseCommand(command, `${read.at(fields, "mix")}[${index}]`)),
    kinds: section("kinds"),
    keys: section("keys"),
    sizes: section("sizes"),
    block: section("block"),
  };
}

function parseSection(value: unknown, path: string): Section {
  const fields = read.fieldsOf(value, path, ["offset", "length"]);
  return { offset: read.integer(fields, "offset", { least: 0 }), length: read.integer(fields, "length", { least: 0 }) };
}

function parseCommand(value: unknown, path: string): FileCommand {
  const fields = read.fieldsOf(value, path, ["name", "arguments"]);
  const parsed = list(fields, "arguments").map((argument, index) =>
    parseArgument(argument, `${read.at(fields, "arguments")}[${index}]`),
  );
  return { name: read.text(fields, "name"), arguments: parsed };
}

function parseArgument(value: unknown, path: string): Argument {
  const fields = read.fieldsOf(value, path, ["kind", "text", "offset"]);
  const kind = read.oneOf(fields, "kind", ["key", "value", "literal"]);
  return kind === "literal"
    ? { kind, text: read.optionalText(fields, "text") ?? "" }
    : { kind, offset: read.integer(fields, "offset", { least: 0 }, 0) };
}

function list(fields: read.Fields, name: string): readonly unknown[] {
  const value = read.required(fields, name);
  if (!Array.isArray(value)) {
    throw read.wrong(fields, name, "a list");
  }
  return value;
}
