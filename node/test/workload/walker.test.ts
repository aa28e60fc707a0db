import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { walkersOf } from "#runner/workload/walker.js";

/** First commands of all walkers of two processes. */
function firsts(commands: number, count: number, firstCommand: number): number[] {
  return [0, 1].flatMap((part) =>
    walkersOf(commands, { path: "", part, parts: 2 }, count).map((walker) => {
      walker.goTo(firstCommand);
      return walker.first;
    }),
  );
}

describe("walkersOf", () => {
  it("starts each walker of each process at its own command when verifying", () => {
    assert.deepEqual(firsts(100, 3, 0), [0, 16, 33, 50, 66, 83]);
  });

  it("starts them as far from a slice's first command, around the end of the workload", () => {
    assert.deepEqual(firsts(100, 3, 60), [60, 76, 93, 10, 26, 43]);
    assert.deepEqual(firsts(100, 3, 260), [60, 76, 93, 10, 26, 43]);
  });
});

describe("Walker", () => {
  it("walks cyclically, and anew from each first command", () => {
    const [walker] = walkersOf(3, { path: "", part: 1, parts: 2 }, 1);
    const taken = () => Array.from({ length: 4 }, () => walker?.next());
    assert.deepEqual(taken(), [1, 2, 0, 1]);
    walker?.goTo(1);
    assert.deepEqual(taken(), [2, 0, 1, 2]);
    assert.equal(walker?.first, 2);
  });
});
