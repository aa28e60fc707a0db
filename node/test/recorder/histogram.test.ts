import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bucket, Histogram } from "#runner/recorder/histogram.js";
import { golden } from "../helpers/contract.js";

interface Vectors {
  readonly buckets: readonly (readonly [number, number])[];
  readonly samples: readonly number[];
  readonly histogram: readonly (readonly [number, number])[];
}

const { buckets, samples, histogram } = golden<Vectors>("histogram.json");

describe("bucket", () => {
  it("agrees with every golden bucket, beyond 2^31 and 2^32 too", () => {
    assert.deepEqual(
      buckets.map(([value]) => [value, bucket(value)]),
      buckets,
    );
  });

  it("keeps the first 11 binary digits of any value", () => {
    for (let bits = 0; bits < 53; bits += 1) {
      for (const value of [2 ** bits, 2 ** bits + 1, 2 ** (bits + 1) - 1]) {
        const digits = BigInt(value).toString(2);
        const kept = BigInt(`0b${digits.slice(0, 11).padEnd(digits.length, "0")}`);
        assert.equal(BigInt(bucket(value)), kept, `${value}`);
      }
    }
  });
});

describe("Histogram", () => {
  it("folds the golden samples", () => {
    const counts = new Histogram();
    for (const sample of samples) {
      counts.add(sample);
    }
    assert.deepEqual(counts.sparse(), histogram);
  });
});
