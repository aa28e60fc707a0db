import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { InvalidInput } from "#runner/errors.js";
import { parseWorkload, readWorkload } from "#runner/workload/file.js";
import { golden, goldenPath } from "../helpers/contract.js";
import { writeWorkload } from "../helpers/workload-file.js";

const FILE = goldenPath("golden.workload");
const FOLDER = mkdtempSync(join(tmpdir(), "respmark-node-"));
after(() => rmSync(FOLDER, { recursive: true }));

/** A workload of 10,000 SETs on eight keys, whose names begin so. */
function written(prefix: string): string {
  const path = join(FOLDER, "test.workload");
  writeWorkload(path, [{ name: "SET", arguments: [{ kind: "key" }, { kind: "value" }] }], 10_000, prefix);
  return path;
}

/** What V8 says of these strings of a workload. */
function printed(path: string, strings: string): string {
  const script = `
    const { readWorkload } = await import(${JSON.stringify(new URL("../../workload/file.js", import.meta.url))});
    const workload = readWorkload(${JSON.stringify(path)});
    for (const word of ${strings}) { %DebugPrint(word); }`;
  const words = ["--allow-natives-syntax", "--input-type=module", "-e", script];
  return spawnSync(process.execPath, words, { encoding: "utf8" }).stdout;
}

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

  for (const prefix of ["key:", "a-prefix-of-long-keys:"]) {
    it(`makes strings that lie flat in memory, one byte a character: keys with ${prefix}`, () => {
      const rope = '"a rope, of " + workload.length + " characters and more"';
      const words = `[workload.keyAt(6), workload.keyAt(5000), ...workload.arguments(6), ${rope}]`;
      const stdout = printed(written(prefix), words);
      const types = [...stdout.matchAll(/type: (\w*STRING_TYPE)/g)].map(([, type = ""]) => type.replace("SEQ_", ""));
      const flat = "ONE_BYTE_STRING_TYPE";
      assert.deepEqual(types, [flat, flat, flat, flat, `CONS_${flat}`], stdout);
    });
  }

  for (const prefix of ["", "key:", "a-prefix-of-long-keys:", "clé:"]) {
    it(`makes the same keys in order as one by one: ${prefix || "no prefix"}`, () => {
      const workload = readWorkload(written(prefix));
      for (const index of [0, 1, 4095, 4096, 4097, 9998, 9999, 3]) {
        assert.equal(workload.keyAt(index), workload.key(workload.keyNumber(index)));
      }
    });
  }

  it("refuses a key that has more digits than the header says", () => {
    const path = written("key:");
    const content = readFileSync(path);
    const { header } = readWorkload(path);
    content.writeUInt32LE(12_345, header.keys.offset + 4 * 7);
    assert.throws(() => parseWorkload(content).keyAt(0), /its key 12345 has more than 4 digits/);
  });

  it("makes one string of equal values", () => {
    const workload = readWorkload(written("key:"));
    const values = new Set(Array.from({ length: 100 }, (_, index) => workload.numberOfValue(index)));
    assert.equal(values.size, 8);
    const [first, same, other] = printed(written("key:"), "[0, 8, 1].map((index) => workload.arguments(index)[1])")
      .split("DebugPrint: ")
      .slice(1)
      .map((text) => text.split(":")[0]);
    assert.ok(first?.startsWith("0x"));
    assert.equal(first, same);
    assert.notEqual(first, other);
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
    ["a newer layout", spoilt((copy) => copy.writeUInt32LE(3, 8)), /layout is 3, and this runner reads 2/],
    ["an older layout", spoilt((copy) => copy.writeUInt32LE(1, 8)), /layout is 1, and this runner reads 2/],
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
