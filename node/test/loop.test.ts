import assert from "node:assert/strict";
import { test } from "node:test";
import { bare, Loop, type Unit } from "../runner/loop.js";
import { Samples } from "../runner/samples.js";
import { Walker } from "../runner/workload.js";

function loopOf(unit: Unit, walker = new Walker(10, 0, 1), samples = new Samples(100)) {
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => Promise.resolve(failures.push(error));
  return { loop: new Loop(walker, unit, samples, onFailure), failures, samples, walker };
}

test("a unit that ends after the time is the last", async () => {
  const { loop } = loopOf(async () => undefined);
  await loop.perform(0, 0);
  assert.equal(loop.units, 1);
});

test("a failed unit is told and not counted, and the loop goes on with the next commands", async () => {
  const taken: number[] = [];
  const { loop, failures } = loopOf((walker) => {
    taken.push(walker.next());
    return taken.length < 3 ? Promise.reject(new Error("reset by peer")) : Promise.resolve();
  });
  await loop.perform(0, 0);
  await loop.perform(0, 0);
  await loop.perform(0, 0);
  assert.deepEqual([failures.length, loop.units, taken], [2, 1, [0, 1, 2]]);
});

test("loops that share a walker take different commands", async () => {
  const taken: number[] = [];
  const unit: Unit = async (walker) => taken.push(walker.next());
  const walker = new Walker(10, 0, 1);
  walker.goTo(8);
  const loops = [1, 2, 3].map(() => loopOf(unit, walker).loop);
  await Promise.all(loops.map((loop) => loop.perform(0, 0)));
  assert.deepEqual(taken, [8, 9, 0]);
});

test("walkers of all processes are spread evenly over the commands", () => {
  const starts = [0, 1, 2, 3].map((number) => {
    const walker = new Walker(10, number, 4);
    walker.goTo(5);
    return walker.position;
  });
  assert.deepEqual(starts, [5, 7, 0, 2]);
});

test("a bare loop performs units until the time is over", async () => {
  assert.equal(await bare(async () => undefined, new Walker(10, 0, 1), 0), 1);
});
