import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { capacityFor, LatencyRecorder } from "#runner/recorder/latency.js";

describe("LatencyRecorder", () => {
  it("folds milliseconds into nanoseconds, and keeps the longest exact", () => {
    const recorder = new LatencyRecorder(8);
    for (const sample of [0.001, 0.001, 0.002049, 3000.000001]) {
      recorder.add(sample);
    }
    const { histogram, maxNs } = recorder.summary();
    assert.deepEqual(histogram.slice(0, 2), [
      [1000, 2],
      [2048, 1],
    ]);
    assert.equal(maxNs, 3_000_000_001);
  });

  it("loses nothing when it outgrows its storage", () => {
    const small = new LatencyRecorder(3);
    const large = new LatencyRecorder(1000);
    for (let sample = 1; sample <= 100; sample += 1) {
      small.add(sample / 1000);
      large.add(sample / 1000);
    }
    assert.deepEqual(small.summary(), large.summary());
  });

  it("forgets the warm-up", () => {
    const recorder = new LatencyRecorder(2);
    for (const sample of [9, 9, 9]) {
      recorder.add(sample);
    }
    recorder.clear();
    assert.deepEqual(recorder.summary(), { histogram: [], maxNs: 0 });
  });
});

describe("capacityFor", () => {
  it("has room for every sample of a window, within bounds", () => {
    assert.deepEqual([0.01, 2, 1e6].map(capacityFor), [65_536, 600_000, 8_388_608]);
  });
});
