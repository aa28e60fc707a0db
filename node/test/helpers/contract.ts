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

/** Every golden trial of a folder, `valid` or `invalid`, as the one line that a harness would write. */
export function goldenTrials(folder: string): { readonly name: string; readonly line: string }[] {
  return readdirSync(goldenPath(`trials/${folder}`)).map((name) => ({
    name,
    line: JSON.stringify(golden(`trials/${folder}/${name}`)),
  }));
}

/** The check of a message against its schema. */
export function schema(name: string): ValidateFunction {
  const text = readFileSync(new URL(`schemas/${name}.schema.json`, CONTRACT), "utf8");
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTuples: false });
  return ajv.addFormat("password", true).compile(JSON.parse(text));
}
