import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Samples } from "#runner/recorder/samples.js";

/** Records one part of a slice. */
function part(recorder: Samples, isKept: boolean, samples: readonly number[]): void {
  recorder.begin(isKept);
  for (const sample of samples) {
    recorder.add(sample);
  }
  recorder.end();
}

/** 1 µs, 2 µs, …, which have buckets of their own. */
const micros = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => (from + index) / 1000);
const counts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => [(from + index) * 1000, 1]);

describe("Samples", () => {
  it("folds milliseconds into nanoseconds, and keeps the longest exact", () => {
    const recorder = new Samples(8);
    part(recorder, true, [0.001, 0.001, 0.002049, 3000.000001]);
    const { histogram, maxNs } = recorder.summary();
    assert.deepEqual(histogram.slice(0, 2), [
      [1000, 2],
      [2048, 1],
    ]);
    assert.equal(maxNs, 3_000_000_001);
  });

  it("keeps the measured parts that are to be kept, and drops lead-ins and warming up", () => {
    const recorder = new Samples(64);
    part(recorder, false, [9, 9]);
    part(recorder, false, [9]);
    part(recorder, false, [9]);
    part(recorder, true, micros(1, 2));
    part(recorder, false, [9]);
    part(recorder, true, micros(3, 4));
    assert.deepEqual(recorder.summary(), { histogram: counts(1, 4), maxNs: 4000 });
  });

  for (const dropped of [1, 5, 17, 100]) {
    it(`loses nothing and keeps nothing of ${dropped} dropped samples when it outgrows its storage`, () => {
      const recorder = new Samples(6);
      for (const from of [1, 6, 11]) {
        part(
          recorder,
          false,
          Array.from({ length: dropped }, () => 9),
        );
        part(recorder, true, micros(from, from + 4));
        recorder.makeRoom();
      }
      assert.deepEqual(recorder.summary(), { histogram: counts(1, 15), maxNs: 15_000 });
    });
  }

  it("makes room between slices when more than half is used, not before", () => {
    const recorder = new Samples(4);
    part(recorder, true, micros(1, 2));
    recorder.makeRoom();
    assert.equal(recorder.pending, 2);
    part(recorder, true, micros(3, 3));
    recorder.makeRoom();
    assert.equal(recorder.pending, 0);
    part(recorder, true, micros(4, 6));
    assert.equal(recorder.pending, 3);
    assert.deepEqual(recorder.summary().histogram, counts(1, 6));
  });
});
