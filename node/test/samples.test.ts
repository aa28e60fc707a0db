import assert from "node:assert/strict";
import { test } from "node:test";
import { Samples } from "../runner/samples.js";

function latenciesOf(taken: ReturnType<Samples["take"]>): number[] {
  const bytes = Buffer.from(taken.latencies, "base64");
  return Array.from({ length: bytes.length / 8 }, (_, index) => bytes.readDoubleLE(8 * index));
}

test("latencies are handed over in nanoseconds, by slice, without those that are not kept", () => {
  const samples = new Samples(10);
  samples.add(1);
  samples.end(false);
  samples.add(2);
  samples.add(3);
  samples.end(true);
  samples.add(4);
  samples.end(false);
  samples.add(5);
  samples.end(true);
  const taken = samples.take();
  assert.deepEqual(latenciesOf(taken), [2e6, 3e6, 5e6]);
  assert.deepEqual([taken.counts, taken.dropped], [[2, 1], 0]);
  assert.deepEqual(samples.take(), { latencies: "", counts: [], dropped: 0 });
});

test("latencies that do not fit are counted", () => {
  const samples = new Samples(4);
  samples.add(1);
  samples.end(true);
  for (let count = 0; count < 5_000; count += 1) {
    samples.add(2);
  }
  samples.end(true);
  samples.add(3);
  samples.end(true);
  const taken = samples.take();
  assert.deepEqual(latenciesOf(taken), [1e6, 2e6, 2e6, 2e6]);
  assert.deepEqual([taken.counts, taken.dropped], [[1, 3, 0], 4_998]);
});
