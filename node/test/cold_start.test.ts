import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { GETS_AND_SETS, writeWorkload } from "./files.js";

const PROGRAM = fileURLToPath(new URL("../runner/cold_start.js", import.meta.url));

/** Starts the program with a trial of the client that does nothing. */
function start(kinds: object) {
  const workload = writeWorkload({ ...kinds, commands: 1 }, [0], "key:1");
  const trial = { client: "null", adapter: "null-client.ts", options: {}, scenario: "sync", shape: {}, workload };
  const input = `${JSON.stringify({ ...trial, samples: 1, server: {} })}\n`;
  const { stdout, status } = spawnSync(process.execPath, [PROGRAM], { input, encoding: "utf8" });
  rmSync(workload);
  assert.equal(status, 0);
  return JSON.parse(stdout);
}

test("a cold start has its stages and its reply", () => {
  const before = Number(process.hrtime.bigint());
  const { started } = start(GETS_AND_SETS);
  const { main_ns: main, reply, versions, ...stages } = started;
  assert.ok(before < main && main < Number(process.hrtime.bigint()));
  assert.deepEqual([reply, versions], [null, { null: "1", "Node.js": process.versions.node }]);
  // The client that does nothing has no connection to open.
  assert.deepEqual(Object.keys(stages), ["load_ns", "create_ns", "first_ns"]);
});

test("what cannot be sent is an answer", () => {
  const { unsupported } = start({ kinds: [{ name: "STRLEN", arguments: ["key"] }], steps: [[0]] });
  assert.match(unsupported, /STRLEN/);
});
