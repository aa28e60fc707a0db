import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { encoded } from "../runner/runner.js";
import { GETS_AND_SETS, writeWorkload } from "./files.js";

const MAIN = fileURLToPath(new URL("../runner/main.js", import.meta.url));

test("what is unsupported ends a trial and not the process", () => {
  const lacking = { kinds: [{ name: "STRLEN", arguments: ["key"] }], steps: [[0]] };
  const workload = writeWorkload({ ...lacking, commands: 1 }, [0], "key:1");
  const other = writeWorkload({ ...GETS_AND_SETS, commands: 1 }, [0], "key:1");
  const trial = {
    client: "null",
    adapter: "null-client.ts",
    options: {},
    scenario: "sync",
    shape: {},
    samples: 1,
    server: {},
  };
  const lines = [{ ...trial, workload }, { ...trial, workload: other }, { connect: {} }];
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const { stdout, status } = spawnSync(process.execPath, [MAIN], { input, encoding: "utf8" });
  for (const file of [workload, other]) {
    rmSync(file);
  }
  const answers = stdout.trim().split("\n");
  assert.equal(status, 0);
  assert.deepEqual(
    answers.flatMap((line) => Object.keys(JSON.parse(line))),
    ["unsupported", "loaded", "connected"],
  );
});

test("replies are as the contract has them", () => {
  const replies = [undefined, null, "OK", 1.5, Buffer.from("value"), ["a", 1], { field: "value" }, new Map([["f", 2]])];
  assert.deepEqual(encoded(replies), [
    null,
    null,
    "OK",
    1.5,
    { bytes: "dmFsdWU=" },
    ["a", 1],
    { map: [["field", "value"]] },
    { map: [["f", 2]] },
  ]);
});
