import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Unit } from "#runner/clients/library.js";
import { LatencyRecorder } from "#runner/recorder/latency.js";
import { CountedFailures, type Failures, LOST_AFTER, STRICT } from "#runner/scenarios/failures.js";
import { perform } from "#runner/scenarios/loop.js";
import { Lost } from "#runner/scenarios/watchdog.js";
import { Window } from "#runner/scenarios/window.js";
import { walkersOf } from "#runner/workload/walker.js";

const COMMANDS = 100;

/** Performs a unit on so many walkers and loops for a moment. */
async function performed(unit: Unit, failures: Failures, walkers = 1, loopsPerWalker = 1) {
  const layout = { walkers, loopsPerWalker, commandsPerUnit: 1, sampleCovers: "command" } as const;
  const latency = new LatencyRecorder(1 << 16);
  const window = new Window(performance.now(), 0.05, walkers, 1);
  const ways = walkersOf(COMMANDS, { path: "", part: 0, parts: 1 }, walkers);
  const end = await perform({ layout, walkers: ways, unit, latency, failures }, window);
  const samples = latency.summary().histogram.reduce((sum, [, count]) => sum + count, 0);
  return { window, end, samples, ways };
}

function counted(onFailure = () => undefined as unknown) {
  const explain = (error: unknown) =>
    error instanceof RangeError
      ? { kind: "RangeError", message: error.message, code: undefined, isReply: false }
      : undefined;
  return new CountedFailures(explain, () => Promise.resolve(), onFailure);
}

describe("perform", () => {
  it("takes one sample a unit, and every unit once", async () => {
    const taken: number[] = [];
    const { window, samples, end } = await performed(async (walker) => {
      taken.push(walker.next());
      await setTimeout(1);
    }, STRICT);
    assert.equal(samples, window.units);
    assert.deepEqual(
      taken,
      Array.from({ length: window.units }, (_, index) => index % COMMANDS),
    );
    assert.ok(end >= window.end);
  });

  it("lets the loops of a sliding window share one walker", async () => {
    const taken: number[] = [];
    const unit: Unit = async (walker) => {
      taken.push(walker.next());
      await setTimeout(1 + Math.random());
    };
    const { window, samples } = await performed(unit, STRICT, 1, 7);
    assert.equal(taken.length, window.units);
    assert.equal(samples, window.units);
    assert.deepEqual(
      taken,
      Array.from({ length: window.units }, (_, index) => index % COMMANDS),
    );
  });

  it("counts each walker's units apart", async () => {
    const done = new Map<number, number>();
    const unit: Unit = async (walker) => {
      await setTimeout(walker.first === 0 ? 1 : 5);
      done.set(walker.first, (done.get(walker.first) ?? 0) + 1);
    };
    const { window } = await performed(unit, STRICT, 2);
    assert.deepEqual(window.operationsByWalker, [done.get(0), done.get(50)]);
  });

  it("counts failed units by kind, without a sample, and goes on", async () => {
    const failures = counted();
    const unit: Unit = async (walker) => {
      await setTimeout(1);
      if (walker.next() % 3 === 0) {
        throw new RangeError("third");
      }
    };
    const { window, samples } = await performed(unit, failures);
    assert.equal(samples, window.units);
    assert.ok((failures.counts["RangeError"] ?? 0) >= window.units / 2 - 1);
    assert.equal(failures.first, "RangeError: third");
  });

  it("gives up after 25 failed units in a row, not before", async () => {
    let units = 0;
    const failures = counted();
    const unit: Unit = () => {
      units += 1;
      return units === 20 ? Promise.resolve() : Promise.reject(new RangeError("no"));
    };
    await assert.rejects(performed(unit, failures), Lost);
    assert.equal(units, 20 + LOST_AFTER);
  });

  it("does not swallow a programming error", async () => {
    await assert.rejects(
      performed(() => Promise.reject(new TypeError("a bug")), counted()),
      TypeError,
    );
  });

  it("ends at the end of the window even if every unit fails slowly", async () => {
    const failures = counted();
    const unit: Unit = async () => {
      await setTimeout(10);
      throw new RangeError("slow");
    };
    const { window } = await performed(unit, failures);
    assert.equal(window.units, 0);
    assert.ok((failures.counts["RangeError"] ?? 0) >= 1);
  });
});
