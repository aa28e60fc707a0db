import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const CONTRACT = new URL("../../../../harness/contract/", import.meta.url);

/** Path of a file of the contract's golden examples. */
export function goldenPath(name: string): string {
  return fileURLToPath(new URL(`golden/${name}`, CONTRACT));
}

/** A golden example, parsed. */
export function golden<Example>(name: string): Example {
  return JSON.parse(readFileSync(goldenPath(name), "utf8"));
}

/** Every golden trial or order of a folder, as the one line that a harness would write. */
export function goldenLines(
  what: "trials" | "orders",
  folder: "valid" | "invalid",
): { readonly name: string; readonly line: string }[] {
  return readdirSync(goldenPath(`${what}/${folder}`)).map((name) => ({
    name,
    line: JSON.stringify(golden(`${what}/${folder}/${name}`)),
  }));
}

/** The check of a message against its schema. */
export function schema(name: string): ValidateFunction {
  const text = readFileSync(new URL(`schemas/${name}.schema.json`, CONTRACT), "utf8");
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTuples: false });
  return ajv.addFormat("password", true).compile(JSON.parse(text));
}
