import assert from "node:assert/strict";
import { test } from "node:test";
import { perform, type Unit, Walker } from "../runner/loop.js";
import { Samples } from "../runner/samples.js";

test("a unit that ends after the time is the last", async () => {
  const walker = new Walker(10);
  await perform({ unit: async () => undefined }, walker, new Samples(100), 0);
  assert.equal(walker.units, 1);
});

test("a failed unit is told and not counted, and the loop goes on with the next commands", async () => {
  const taken: number[] = [];
  const samples = new Samples(100);
  const unit: Unit = (walker) => {
    taken.push(walker.next());
    return taken.length < 3 ? Promise.reject(new Error("reset by peer")) : Promise.resolve();
  };
  const walker = new Walker(10);
  for (const _ of [1, 2, 3]) {
    await perform({ unit }, walker, samples, 0);
  }
  assert.deepEqual([walker.units, taken], [1, [0, 1, 2]]);
  assert.deepEqual(samples.failures, { errors: { Error: 2 }, first_error: "reset by peer" });
});

test("loops that share a walker take different commands", async () => {
  const taken: number[] = [];
  const unit: Unit = async (walker) => taken.push(walker.next());
  const walker = new Walker(10);
  walker.position = 8;
  await Promise.all([1, 2, 3].map(() => perform({ unit }, walker, new Samples(100), 0)));
  assert.deepEqual([taken, walker.units], [[8, 9, 0], 3]);
});
