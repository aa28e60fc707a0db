import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { LoadedEvent, SliceEvent } from "#runner/contract/events.js";
import { goldenLines, goldenPath, schema } from "../helpers/contract.js";
import { Runner, sliceOrder, trial } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";

let server: Server;

before(async () => {
  server = await Server.start();
  await server.preload(goldenPath("golden.workload"));
});
after(() => server.stop());

const clients = async () => (await server.figure("clients", "connected_clients")) - 1;

/** Writes these lines after `ready`; then the runner must end so. */
async function endsAfter(lines: readonly (object | string)[], exitCode: number, sentence: RegExp): Promise<void> {
  const runner = Runner.with(trial(server.port));
  await runner.ready();
  for (const line of lines) {
    runner.write(typeof line === "string" ? line : JSON.stringify(line));
  }
  const ending = await runner.ended();
  assert.match(ending.lastLine, sentence);
  assert.equal(ending.exitCode, exitCode, ending.stderr);
}

describe("orders", () => {
  it("are obeyed one by one: no connection before connect, and all of them until standard input ends", async () => {
    const runner = Runner.with(trial(server.port, { scenario: "pool", shape: { threads: 4, max_total: 3 } }));
    const loaded = await runner.expected<LoadedEvent>("loaded");
    assert.ok(schema("loaded")(loaded), JSON.stringify(loaded));
    assert.equal(await clients(), 0);
    const ready = await runner.ordered({ order: "connect" }, "ready");
    assert.ok(schema("ready")(ready), JSON.stringify(ready));
    assert.equal(await clients(), 3);
    await runner.slice();
    await runner.finish();
    assert.equal(await clients(), 3);
    runner.closeInput();
    const { exitCode, stderr } = await runner.ended();
    assert.deepEqual([exitCode, stderr], [0, ""]);
  });

  it("may ask for any number of slices, none among them", async () => {
    const runner = Runner.with(trial(server.port));
    await runner.ready();
    const result = await runner.finish();
    assert.deepEqual(result.latency, { sample_covers: "command", histogram: [], max_ns: 0 });
    assert.equal(result.runtime_health["gc_collections"], 0);
    runner.closeInput();
    assert.equal((await runner.ended()).exitCode, 0);
  });

  it("that lie on standard input beforehand are answered in turn", async () => {
    const runner = Runner.with(trial(server.port));
    await runner.ready();
    for (const number of [1, 2, 3]) {
      runner.write(JSON.stringify(sliceOrder({ slice: number, duration_ns: 1e6, first_command: number })));
    }
    for (const number of [1, 2, 3]) {
      const { slice, segments } = await runner.expected<SliceEvent>("slice");
      assert.deepEqual([slice, segments[0]?.first_command], [number, number]);
    }
    await runner.finish();
    runner.closeInput();
    await runner.ended();
  });
});

describe("an order that is not valid exits with 2", { concurrency: 2 }, () => {
  for (const { name, line } of goldenLines("orders", "invalid")) {
    it(`golden ${name}`, () => endsAfter([line], 2, /^order.*; due: slice or finish$/));
  }
  it("no JSON", () => endsAfter(["go"], 2, /^the order is not JSON: .*; due: slice or finish$/));
  it("a second connect", () => endsAfter([{ order: "connect" }], 2, /^the order connect is not due; due: slice or/));
  for (const line of [sliceOrder(), { order: "finish" }, { order: "connect" }]) {
    it(`${JSON.stringify(line)} after finish`, () =>
      endsAfter([{ order: "finish" }, line], 2, /is not due; due: the end of standard input$/));
  }
  for (const line of [sliceOrder(), { order: "finish" }]) {
    it(`${JSON.stringify(line)} before connect`, async () => {
      const runner = Runner.with(trial(server.port));
      await runner.expected("loaded");
      runner.write(JSON.stringify(line));
      const { exitCode, lastLine } = await runner.ended();
      assert.equal(exitCode, 2);
      assert.match(lastLine, /^the order (?:slice|finish) is not due; due: connect$/);
    });
  }
});

describe("standard input that ends before the result exits with 1", () => {
  for (const [step, due] of [
    ["loaded", "connect"],
    ["ready", "slice or finish"],
    ["slice", "slice or finish"],
  ] as const) {
    it(`after ${step}`, async () => {
      const runner = Runner.with(trial(server.port));
      if (step === "loaded") {
        await runner.expected("loaded");
      } else {
        await runner.ready();
      }
      if (step === "slice") {
        await runner.slice();
      }
      runner.closeInput();
      const { exitCode, lastLine } = await runner.ended();
      assert.equal(exitCode, 1);
      assert.equal(lastLine, `standard input ended before the result; due: ${due}`);
    });
  }

  it("in a slice: the slice is completed and answered", async () => {
    const runner = Runner.with(trial(server.port));
    await runner.ready();
    runner.write(JSON.stringify(sliceOrder()));
    runner.closeInput();
    await runner.expected("slice");
    assert.equal((await runner.ended()).exitCode, 1);
  });
});
