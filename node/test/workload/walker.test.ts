import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { walkersOf } from "#runner/workload/walker.js";

describe("walkersOf", () => {
  it("starts each walker of each process at its own command", () => {
    const firsts = [0, 1].map((part) => walkersOf(100, { path: "", part, parts: 2 }, 3).map(({ first }) => first));
    assert.deepEqual(firsts, [
      [0, 16, 33],
      [50, 66, 83],
    ]);
  });

  it("walks cyclically", () => {
    const [walker] = walkersOf(3, { path: "", part: 1, parts: 2 }, 1);
    const taken = Array.from({ length: 5 }, () => walker?.next());
    assert.deepEqual(taken, [1, 2, 0, 1, 2]);
  });
});
