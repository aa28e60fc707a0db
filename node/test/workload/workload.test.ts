import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { InvalidInput } from "#runner/errors.js";
import { parseWorkload, readWorkload } from "#runner/workload/file.js";
import { golden, goldenPath } from "../helpers/contract.js";

const FILE = goldenPath("golden.workload");

describe("Workload", () => {
  it("reads the golden file as it is written out", () => {
    const workload = readWorkload(FILE);
    const commands = Array.from({ length: workload.length }, (_, index) => [
      workload.command(index).name,
      ...workload.arguments(index),
    ]);
    const { commands: expected } = golden<{ commands: string[][] }>("workload.json");
    assert.deepEqual(commands, expected);
  });

  it("makes strings that lie flat in memory, one byte a character", () => {
    const script = `
      const { readWorkload } = await import(${JSON.stringify(new URL("../../workload/file.js", import.meta.url))});
      const workload = readWorkload(${JSON.stringify(FILE)});
      for (const word of workload.arguments(6)) { %DebugPrint(word); }
      %DebugPrint("a rope, of " + workload.length + " characters and more");`;
    const words = ["--allow-natives-syntax", "--input-type=module", "-e", script];
    const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
    const types = [...stdout.matchAll(/type: (\w*STRING_TYPE)/g)].map(([, type]) => type);
    const [key, value, rope] = types;
    assert.match(key ?? stdout, /^(?:SEQ_)?ONE_BYTE_STRING_TYPE$/);
    assert.match(value ?? stdout, /^(?:SEQ_)?ONE_BYTE_STRING_TYPE$/);
    assert.match(rope ?? stdout, /^CONS_ONE_BYTE_STRING_TYPE$/);
  });
});

describe("readWorkload", () => {
  it("refuses a file that is not there", () => {
    assert.throws(() => readWorkload("/no/such/file"), /trial\.workload\.path: \/no\/such\/file: .*ENOENT/);
  });

  const content = readFileSync(FILE);
  const spoilt = (spoil: (copy: Buffer) => Buffer | number | undefined) => () => {
    const copy = Buffer.from(content);
    const changed = spoil(copy);
    return parseWorkload(changed instanceof Buffer ? changed : copy);
  };
  const refused: readonly [string, () => unknown, RegExp][] = [
    ["another kind of file", spoilt((copy) => copy.fill(0, 0, 1)), /does not start with RESPMARK/],
    ["a newer layout", spoilt((copy) => copy.writeUInt32LE(2, 8)), /layout 2 is newer/],
    ["a file cut off", spoilt((copy) => copy.subarray(0, 5000)), /cut off: it has 5000 bytes/],
    ["a header that is not JSON", spoilt((copy) => copy.fill("x", 16, 20)), /header is not JSON/],
    ["an unknown header field", spoilt((copy) => copy.write('"Name"', copy.indexOf('"name"'))), /no field "Name"/],
  ];
  for (const [name, read, message] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(read, message);
      assert.throws(read, InvalidInput);
    });
  }
});
