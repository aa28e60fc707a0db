import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Unit } from "#runner/clients/library.js";
import { LIMITS } from "#runner/contract/limits.js";
import { LatencyRecorder } from "#runner/recorder/latency.js";
import { Failures } from "#runner/scenarios/failures.js";
import { Scenario } from "#runner/scenarios/scenario.js";
import { Lost } from "#runner/scenarios/watchdog.js";
import { walkersOf } from "#runner/workload/walker.js";

const COMMANDS = 100;
const PART_NS = 30e6;

/** A scenario of so many walkers and loops, and what it is made of. */
function scenarioOf(unit: Unit, walkers = 1, loopsPerWalker = 1) {
  const layout = { walkers, loopsPerWalker, commandsPerUnit: 1, sampleCovers: "command" } as const;
  const latency = new LatencyRecorder();
  const failures = new Failures(
    (error) =>
      error instanceof RangeError
        ? { kind: "RangeError", message: error.message, code: undefined, isReply: false }
        : undefined,
    () => Promise.resolve(),
    () => undefined,
  );
  const ways = walkersOf(COMMANDS, { path: "", part: 0, parts: 1 }, walkers);
  const samples = () => latency.summary().histogram.reduce((sum, [, count]) => sum + count, 0);
  return { scenario: new Scenario(layout, ways, unit, latency, failures), failures, latency, samples };
}

/** A unit that notes what it took. */
function noting(pauseMs = 1) {
  const taken: number[] = [];
  const unit: Unit = async (walker) => {
    taken.push(walker.next());
    await setTimeout(pauseMs);
  };
  return { taken, unit };
}

const inOrder = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => (first + index) % COMMANDS);

describe("Scenario", () => {
  it("takes one sample a unit of the measured part, and every unit once, from the slice's first command on", async () => {
    const { taken, unit } = noting();
    const { scenario, samples } = scenarioOf(unit);
    scenario.goTo(95);
    const leadIn = await scenario.perform(PART_NS, false);
    const measured = await scenario.perform(PART_NS, true);
    assert.ok(leadIn.units > 0 && measured.units > 0);
    assert.equal(samples(), measured.units);
    assert.deepEqual(taken, inOrder(95, leadIn.units + measured.units));
    assert.deepEqual(scenario.segments(), [{ first_command: 95, operations: taken.length }]);
  });

  it("takes samples that follow one another without a gap: together they are as long as the measured part", async () => {
    const { unit } = noting();
    const { scenario, latency } = scenarioOf(unit);
    await scenario.perform(PART_NS, false);
    const begin = performance.now();
    await scenario.perform(PART_NS, true);
    const elapsedNs = (performance.now() - begin) * 1e6;
    const together = latency.summary().histogram.reduce((sum, [value, count]) => sum + value * count, 0);
    // A bucket is named by its lowest value, at most a thousandth below a sample.
    assert.ok(together >= PART_NS * 0.998 && together <= elapsedNs, `${together} of ${elapsedNs}`);
  });

  it("does nothing in a part of no length", async () => {
    const { taken, unit } = noting();
    const { scenario } = scenarioOf(unit);
    scenario.goTo(3);
    assert.deepEqual(await scenario.perform(0, false), { operations: 0, units: 0 });
    assert.deepEqual(taken, []);
    assert.deepEqual(scenario.segments(), [{ first_command: 3, operations: 0 }]);
  });

  it("performs at least one unit, however short the part", async () => {
    const { unit } = noting();
    const { scenario } = scenarioOf(unit);
    assert.deepEqual(await scenario.perform(1, true), { operations: 1, units: 1 });
  });

  it("does the same work whether samples are kept or not", async () => {
    const { unit } = noting();
    const { scenario, samples } = scenarioOf(unit);
    const dropped = await scenario.perform(PART_NS, false);
    assert.ok(dropped.units > 0);
    assert.equal(samples(), 0);
  });

  it("completes what is in flight before a part ends, and counts it", async () => {
    let inFlight = 0;
    const { scenario } = scenarioOf(
      async (walker) => {
        inFlight += 1;
        await setTimeout(1 + (walker.next() % 7));
        inFlight -= 1;
      },
      1,
      7,
    );
    for (const isKept of [false, true]) {
      await scenario.perform(PART_NS, isKept);
      assert.equal(inFlight, 0);
    }
  });

  it("lets the loops of a sliding window share one walker", async () => {
    const { taken, unit } = noting();
    const { scenario, samples } = scenarioOf(unit, 1, 7);
    scenario.goTo(0);
    const { units } = await scenario.perform(PART_NS, true);
    assert.equal(samples(), units);
    assert.deepEqual(taken, inOrder(0, units));
    assert.deepEqual(scenario.segments(), [{ first_command: 0, operations: units }]);
  });

  it("counts each walker's units apart, and each slice's", async () => {
    const done = new Map<number, number>();
    const unit: Unit = async (walker) => {
      walker.next();
      await setTimeout(walker.first < 50 ? 1 : 5);
      done.set(walker.first, (done.get(walker.first) ?? 0) + 1);
    };
    const { scenario } = scenarioOf(unit, 2);
    for (const first of [0, 20]) {
      scenario.goTo(first);
      await scenario.perform(PART_NS, true);
      const expected = [first, first + 50].map((place) => ({ first_command: place, operations: done.get(place) }));
      assert.deepEqual(scenario.segments(), expected);
    }
  });

  it("counts failed units by kind, without a sample, and goes on; the next slice starts at none", async () => {
    const { scenario, samples, failures } = scenarioOf(async (walker) => {
      await setTimeout(1);
      if (walker.next() % 3 === 0) {
        throw new RangeError("third");
      }
    });
    const { units } = await scenario.perform(PART_NS, true);
    assert.equal(samples(), units);
    const failed = failures.counts["RangeError"] ?? 0;
    assert.ok(failed >= 1 && failed >= units / 2 - 1);
    assert.equal(failures.first, "RangeError: third");
    failures.clear();
    assert.deepEqual([failures.counts, failures.first], [{}, null]);
  });

  it("gives up after 25 failed units in a row, not before", async () => {
    let units = 0;
    const { scenario } = scenarioOf(() => {
      units += 1;
      return units === 20 ? Promise.resolve() : Promise.reject(new RangeError("no"));
    });
    await assert.rejects(scenario.perform(1e9, true), Lost);
    assert.equal(units, 20 + LIMITS.failuresInARow);
  });

  it("counts failures in a row across slices, so that a target that fails slowly is lost as well", async () => {
    let units = 0;
    const { scenario } = scenarioOf(() => {
      units += 1;
      return units === 20 ? Promise.resolve() : Promise.reject(new RangeError("no"));
    });
    const slices = async () => {
      for (let slice = 1; slice <= 2 * LIMITS.failuresInARow + 20; slice += 1) {
        scenario.goTo(0);
        await scenario.perform(1, true);
      }
    };
    await assert.rejects(slices(), Lost);
    assert.equal(units, 20 + LIMITS.failuresInARow);
  });

  it("does not swallow a programming error", async () => {
    const { scenario } = scenarioOf(() => Promise.reject(new TypeError("a bug")));
    await assert.rejects(scenario.perform(PART_NS, true), TypeError);
  });

  it("ends a part on time even if every unit fails slowly", async () => {
    const { scenario, failures } = scenarioOf(async () => {
      await setTimeout(10);
      throw new RangeError("slow");
    });
    assert.deepEqual(await scenario.perform(PART_NS, true), { operations: 0, units: 0 });
    assert.ok((failures.counts["RangeError"] ?? 0) >= 1);
  });
});
