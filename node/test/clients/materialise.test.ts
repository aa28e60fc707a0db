import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { materialise } from "#runner/clients/materialise.js";
import { readWorkload } from "#runner/workload/file.js";
import type { FileCommand } from "#runner/workload/header.js";
import { goldenPath } from "../helpers/contract.js";
import { writeWorkload } from "../helpers/workload-file.js";

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "respmark-node-"));
});
after(() => rmSync(folder, { recursive: true }));

/** What a library would be called with that has every method and takes words as they are. */
function called(path: string): unknown[][] {
  const workload = readWorkload(path);
  const calls = materialise(workload, (method, values) => [method, ...values.flatMap(wordsOf)]);
  const seen: unknown[][] = [];
  const target = new Proxy(
    {},
    {
      get:
        (_, method) =>
        (...values: unknown[]) =>
          seen.push([method, ...values.flatMap(wordsOf)]),
    },
  );
  for (let index = 0; index < workload.length; index += 1) {
    calls.send(target, index);
  }
  return seen;
}

function wordsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

function written(mix: readonly FileCommand[], commands: number): string {
  const path = join(folder, "test.workload");
  writeWorkload(path, mix, commands);
  return path;
}

const KEY = { kind: "key" } as const;
const VALUE = { kind: "value" } as const;

describe("materialise", () => {
  for (const name of ["golden", "commands"]) {
    it(`gives every command of the golden workload "${name}" its own words`, () => {
      const path = goldenPath(`${name}.workload`);
      const workload = readWorkload(path);
      const words = Array.from({ length: workload.length }, (_, index) => [
        workload.command(index).name,
        ...workload.arguments(index),
      ]);
      assert.deepEqual(called(path), words);
    });
  }

  it("refuses a command that no method sends as it stands", () => {
    const workload = readWorkload(written([{ name: "SET", arguments: [KEY, VALUE, VALUE] }], 8));
    const asTwoWords = (method: string, values: readonly unknown[]) => [method, ...values.slice(0, 2)];
    assert.throws(() => materialise(workload, asTwoWords), /no method that sends SET as the workload has it/);
  });

  for (const [name, command] of [
    ["a key twice", { name: "MSET", arguments: [KEY, VALUE, KEY, VALUE] }],
    ["a key that is not first", { name: "SET", arguments: [VALUE, KEY] }],
    ["a value without a key", { name: "SET", arguments: [{ kind: "literal", text: "a" }, VALUE] }],
    ["a list of words", { name: "ODD", arguments: [KEY, VALUE] }],
  ] as const) {
    it(`tells commands apart that have ${name}`, () => {
      const path = written([command, { name: "GET", arguments: [KEY] }], 24);
      const workload = readWorkload(path);
      for (const [index, sent] of called(path).entries()) {
        assert.deepEqual(sent, [workload.command(index).name, ...workload.arguments(index)]);
      }
    });
  }
});
