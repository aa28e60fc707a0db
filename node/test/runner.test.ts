import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { encoded } from "../runner/runner.js";
import { GETS_AND_SETS, writeDues, writeWorkload } from "./files.js";

const MAIN = fileURLToPath(new URL("../runner/main.js", import.meta.url));
const WORK = { first: [1], lead_in_ns: 1_000, ns: 1_000_000, keep: true };

/** Sends a trial of the client that does nothing, then these orders; returns the answers and the exit code. */
function run(shape: object, ...orders: object[]) {
  return runTrials([{ shape }, orders]);
}

/** Sends trials, each with its orders, to one process; returns the answers and the exit code. */
function runTrials(...trials: readonly (readonly [object, readonly object[]])[]) {
  const workload = writeWorkload({ ...GETS_AND_SETS, commands: 4 }, [0, 0, 1, 0], "key:1key:2key:3key:4");
  const trial = (orders: readonly object[]) => ({
    client: "null",
    adapter: "null-client.ts",
    options: {},
    scenario: "sync",
    workload,
    samples: 1_000_000,
    open: orders.some((order) => JSON.stringify(order).includes("arrivals")),
    server: {},
  });
  try {
    const lines = trials.flatMap(([given, orders]) => [{ ...trial(orders), ...given }, ...orders]);
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const { stdout, status } = spawnSync(process.execPath, [MAIN], { input, encoding: "utf8" });
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return { answers, status };
  } finally {
    rmSync(workload);
  }
}

test("a trial from its first line to its end", () => {
  const { answers, status } = run(
    {},
    { connect: {} },
    { echo: { first: 0, commands: 3, bytes: 1_000 } },
    { work: WORK },
    { work: { ...WORK, lead_in_ns: 0, keep: false } },
    { samples: {} },
    { bare: { first: 0, ns: 1_000 } },
  );
  const [{ loaded }, connected, { replies }, { worked }, { worked: unkept }, { samples }, { bared }] = answers;
  assert.equal(status, 0);
  assert.deepEqual([loaded.contract, loaded.versions["Node.js"]], [4, process.versions.node]);
  assert.deepEqual(connected, { connected: {} });
  assert.deepEqual(replies, [null, null, null]);
  const [started, from, ended] = [worked.started[0], worked.measured_from[0], worked.ended[0]];
  assert.ok(started + WORK.lead_in_ns <= from && from + WORK.ns <= ended);
  assert.deepEqual([worked.errors, worked.first_error, worked.cache], [{}, null, null]);
  assert.deepEqual(unkept.lead_in, [0]);
  assert.deepEqual([samples.counts, samples.dropped], [worked.measured, 0]);
  assert.ok(bared.units > 0);
});

test("a trial without orders is loaded and no more", () => {
  const { answers, status } = run({});
  assert.equal(status, 0);
  assert.deepEqual(answers.map(Object.keys), [["loaded"]]);
});

test("every walker counts its own units", () => {
  const { answers } = run({ threads: 3 }, { connect: {} }, { work: { ...WORK, first: [0, 1, 2] } }, { samples: {} });
  const [, , { worked }, { samples }] = answers;
  assert.equal(worked.measured.length, 3);
  const units = worked.measured.reduce((sum: number, one: number) => sum + one, 0);
  assert.deepEqual(samples.counts, [units]);
});

test("a slice whose units have times at which they are due lasts as long as asked", () => {
  const file = writeDues([0, 1e6, 2e6, 3e6, 4e6]);
  const at = Number(process.hrtime.bigint());
  const arrivals = { file, at, lead_in: 2, drain_ns: 60e9 };
  const work = { ...WORK, first: [0, 2], lead_in_ns: 2e6, ns: 8e6, arrivals };
  const { answers } = run({ threads: 2 }, { connect: {} }, { work }, { samples: {} });
  rmSync(file);
  const [, , { worked }, { samples }] = answers;
  const sums = [worked.lead_in, worked.measured].map(([one, other]) => one + other);
  assert.deepEqual([sums, samples.counts], [[2, 3], [3]]);
  assert.ok(worked.measured_from[0] >= at + 2e6 && worked.ended[0] >= at + 10e6);
  assert.equal(samples.lags.length, samples.latencies.length);
  assert.equal(Buffer.from(samples.due, "base64").readDoubleLE(0), 2e6);
});

test("an application that keeps going logs each unit, and in the end that its client is closed", () => {
  const [file, log, at] = [writeDues([0, 0, 5e6]), `${tmpdir()}/${process.pid}.log`, Number(process.hrtime.bigint())];
  const order = { first: [0, 2], due: { file, at }, log, enough: `${log}.enough`, until: at + 100e9 };
  const { answers, status } = run({ threads: 2 }, { connect: {} }, { keep_going: order });
  const lines = readFileSync(log, "utf8").trim().split("\n");
  rmSync(file);
  rmSync(log);
  assert.deepEqual([answers[2], status], [{ went: {} }, 0]);
  const [end, ...units] = lines.map((line) => JSON.parse(line)).reverse();
  assert.deepEqual(Object.keys(end), ["closed"]);
  assert.deepEqual(
    units.filter((line) => "began" in line).map(({ unit }) => unit),
    [2, 1, 0],
  );
  const ended = units.filter((line) => "ended" in line);
  assert.deepEqual(ended.map(({ unit, reply }) => [unit, reply]).sort(), [
    [0, null],
    [1, null],
    [2, null],
  ]);
  assert.ok(ended.every((line) => [0, 1].includes(line.walker)));
});

test("one trial may follow another, and nothing that it kept is left", () => {
  const work = [{ connect: {} }, { echo: { first: 0, commands: 1, bytes: 1 } }, { work: WORK }];
  const batching = { scenario: "batching", shape: { depth: 2, connections: 3 }, open: true };
  const { answers, status } = runTrials(
    [{ shape: {} }, work],
    [batching, [{ connect: {} }, { work: { ...WORK, first: [0, 1, 2] } }]],
    [{ shape: {} }, [...work, { samples: {} }]],
  );
  assert.equal(status, 0);
  const names = ["loaded", "connected", "replies", "worked"];
  const between = ["loaded", "connected", "worked"];
  assert.deepEqual(answers.flatMap(Object.keys), [...names, ...between, ...names, "samples"]);
  assert.equal(answers[6].worked.measured.length, 3);
  assert.deepEqual(answers[9], answers[2]);
  assert.deepEqual(answers[11].samples.counts, answers[10].worked.measured);
});

test("what is unsupported ends a trial and not the process", () => {
  const lacking = { kinds: [{ name: "STRLEN", arguments: ["key"] }], steps: [[0]] };
  const workload = writeWorkload({ ...lacking, commands: 1 }, [0], "key:1");
  const { answers, status } = runTrials([{ shape: {}, workload }, []], [{ shape: {} }, [{ connect: {} }]]);
  rmSync(workload);
  assert.equal(status, 0);
  assert.deepEqual(answers.flatMap(Object.keys), ["unsupported", "loaded", "connected"]);
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
