import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Meter, Window } from "#runner/scenarios/window.js";

/** Completes a unit at a moment; says whether the walker is to stop. */
function complete(meter: Meter | undefined, now: number): boolean {
  assert.ok(meter);
  meter.units += 1;
  return now >= meter.checkpoint && meter.isOver(now);
}

describe("Window", () => {
  it("ends with the first unit at or after its end", () => {
    const [meter] = new Window(1000, 1, 1, 1).meters;
    assert.deepEqual(
      [1400, 1999.9, 2000].map((now) => complete(meter, now)),
      [false, false, true],
    );
  });

  it("takes the first half at the first unit at or after half time", () => {
    const window = new Window(1000, 1, 1, 10);
    const [meter] = window.meters;
    for (const now of [1100, 1499, 1510, 1900, 2001]) {
      complete(meter, now);
    }
    assert.deepEqual(window.firstHalf(), { operations: 30, elapsed_ns: 510_000_000 });
    assert.equal(window.operations, 50);
  });

  it("sums the first halves of all walkers, and takes the latest moment", () => {
    const window = new Window(0, 1, 2, 1);
    const [one, other] = window.meters;
    complete(one, 100);
    complete(one, 600);
    assert.equal(window.firstHalf(), null);
    complete(other, 550);
    assert.deepEqual(window.firstHalf(), { operations: 3, elapsed_ns: 600_000_000 });
    assert.deepEqual(window.operationsByWalker, [2, 1]);
  });

  it("has no first half when the only unit ended the window", () => {
    const window = new Window(0, 1, 1, 1);
    assert.ok(complete(window.meters[0], 1500));
    assert.equal(window.firstHalf(), null);
  });

  it("reports once a second, the operations of all walkers, and not after its end", () => {
    const reports: [number, number][] = [];
    const window = new Window(0, 3.5, 2, 1, (elapsed, operations) => reports.push([elapsed / 1e6, operations]));
    const [one, other] = window.meters;
    for (const now of [500, 1001, 1002, 1900, 3100, 3600]) {
      complete(one, now);
      complete(other, now);
    }
    assert.deepEqual(reports, [
      [1001, 3],
      [3100, 9],
    ]);
  });
});
