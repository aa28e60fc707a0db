import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Unit } from "#runner/clients/library.js";
import { LIMITS } from "#runner/contract/limits.js";
import { Samples } from "#runner/recorder/samples.js";
import { Failures } from "#runner/scenarios/failures.js";
import { Loops } from "#runner/scenarios/loops.js";
import { Lost } from "#runner/scenarios/watchdog.js";
import { walkersOf } from "#runner/workload/walker.js";

const COMMANDS = 100;
const PART_NS = 30e6;

/** The loops of so many walkers, and what they are made of. */
function loopsOf(unit: Unit, walkers = 1, loopsPerWalker = 1) {
  const layout = { walkers, loopsPerWalker, commandsPerUnit: 1, sampleCovers: "command" } as const;
  const samples = new Samples();
  const failures = new Failures(
    (error) =>
      error instanceof RangeError
        ? { kind: "RangeError", message: error.message, code: undefined, isReply: false }
        : undefined,
    () => Promise.resolve(),
    () => undefined,
  );
  const ways = walkersOf(COMMANDS, { path: "", part: 0, parts: 1 }, walkers);
  const counted = () => samples.summary().histogram.reduce((sum, [, count]) => sum + count, 0);
  return { loops: new Loops(layout, ways, unit, samples, failures), failures, samples, counted };
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

describe("Loops", () => {
  it("takes one sample a unit of the measured part, and every unit once, from the slice's first command on", async () => {
    const { taken, unit } = noting();
    const { loops, counted } = loopsOf(unit);
    loops.goTo(95);
    const leadIn = await loops.perform(PART_NS, false);
    const measured = await loops.perform(PART_NS, true);
    assert.ok(leadIn.units > 0 && measured.units > 0);
    assert.equal(counted(), measured.units);
    assert.deepEqual(taken, inOrder(95, leadIn.units + measured.units));
    assert.deepEqual(loops.segments(), [{ first_command: 95, operations: taken.length }]);
  });

  it("takes samples that follow one another without a gap: together they are as long as the measured part", async () => {
    const { unit } = noting();
    const { loops, samples } = loopsOf(unit);
    await loops.perform(PART_NS, false);
    const begin = performance.now();
    await loops.perform(PART_NS, true);
    const elapsedNs = (performance.now() - begin) * 1e6;
    const together = samples.summary().histogram.reduce((sum, [value, count]) => sum + value * count, 0);
    // A bucket is named by its lowest value, at most a thousandth below a sample.
    assert.ok(together >= PART_NS * 0.998 && together <= elapsedNs, `${together} of ${elapsedNs}`);
  });

  it("does nothing in a part of no length", async () => {
    const { taken, unit } = noting();
    const { loops } = loopsOf(unit);
    loops.goTo(3);
    assert.deepEqual(await loops.perform(0, false), { operations: 0, units: 0 });
    assert.deepEqual(taken, []);
    assert.deepEqual(loops.segments(), [{ first_command: 3, operations: 0 }]);
  });

  it("performs at least one unit, however short the part", async () => {
    const { unit } = noting();
    const { loops } = loopsOf(unit);
    assert.deepEqual(await loops.perform(1, true), { operations: 1, units: 1 });
  });

  it("does the same work whether samples are kept or not", async () => {
    const { unit } = noting();
    const { loops, counted } = loopsOf(unit);
    const dropped = await loops.perform(PART_NS, false);
    assert.ok(dropped.units > 0);
    assert.equal(counted(), 0);
  });

  it("completes what is in flight before a part ends, and counts it", async () => {
    let inFlight = 0;
    const { loops } = loopsOf(
      async (walker) => {
        inFlight += 1;
        await setTimeout(1 + (walker.next() % 7));
        inFlight -= 1;
      },
      1,
      7,
    );
    for (const isKept of [false, true]) {
      await loops.perform(PART_NS, isKept);
      assert.equal(inFlight, 0);
    }
  });

  it("lets the loops of a sliding window share one walker", async () => {
    const { taken, unit } = noting();
    const { loops, counted } = loopsOf(unit, 1, 7);
    loops.goTo(0);
    const { units } = await loops.perform(PART_NS, true);
    assert.equal(counted(), units);
    assert.deepEqual(taken, inOrder(0, units));
    assert.deepEqual(loops.segments(), [{ first_command: 0, operations: units }]);
  });

  it("counts each walker's units apart, and each slice's", async () => {
    const done = new Map<number, number>();
    const unit: Unit = async (walker) => {
      walker.next();
      await setTimeout(walker.first < 50 ? 1 : 5);
      done.set(walker.first, (done.get(walker.first) ?? 0) + 1);
    };
    const { loops } = loopsOf(unit, 2);
    for (const first of [0, 20]) {
      loops.goTo(first);
      await loops.perform(PART_NS, true);
      const expected = [first, first + 50].map((place) => ({ first_command: place, operations: done.get(place) }));
      assert.deepEqual(loops.segments(), expected);
    }
  });

  it("counts failed units by kind, without a sample, and goes on; the next slice starts at none", async () => {
    const { loops, counted, failures } = loopsOf(async (walker) => {
      await setTimeout(1);
      if (walker.next() % 3 === 0) {
        throw new RangeError("third");
      }
    });
    const { units } = await loops.perform(PART_NS, true);
    assert.equal(counted(), units);
    const failed = failures.counts["RangeError"] ?? 0;
    assert.ok(failed >= 1 && failed >= units / 2 - 1);
    assert.equal(failures.first, "RangeError: third");
    failures.clear();
    assert.deepEqual([failures.counts, failures.first], [{}, null]);
  });

  it("gives up after 25 failed units in a row, not before", async () => {
    let units = 0;
    const { loops } = loopsOf(() => {
      units += 1;
      return units === 20 ? Promise.resolve() : Promise.reject(new RangeError("no"));
    });
    await assert.rejects(loops.perform(1e9, true), Lost);
    assert.equal(units, 20 + LIMITS.failuresInARow);
  });

  it("counts failures in a row across slices, so that a target that fails slowly is lost as well", async () => {
    let units = 0;
    const { loops } = loopsOf(() => {
      units += 1;
      return units === 20 ? Promise.resolve() : Promise.reject(new RangeError("no"));
    });
    const slices = async () => {
      for (let slice = 1; slice <= 2 * LIMITS.failuresInARow + 20; slice += 1) {
        loops.goTo(0);
        await loops.perform(1, true);
      }
    };
    await assert.rejects(slices(), Lost);
    assert.equal(units, 20 + LIMITS.failuresInARow);
  });

  it("does not swallow a programming error", async () => {
    const { loops } = loopsOf(() => Promise.reject(new TypeError("a bug")));
    await assert.rejects(loops.perform(PART_NS, true), TypeError);
  });

  it("ends a part on time even if every unit fails slowly", async () => {
    const { loops, failures } = loopsOf(async () => {
      await setTimeout(10);
      throw new RangeError("slow");
    });
    assert.deepEqual(await loops.perform(PART_NS, true), { operations: 0, units: 0 });
    assert.ok((failures.counts["RangeError"] ?? 0) >= 1);
  });
});
