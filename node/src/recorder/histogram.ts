import type { HistogramPairs } from "../contract/events.js";

/** Each value below 2^11 has its own bucket; each power of two above has 1,024. */
const EXACT_BITS = 11;
const EXACT = 2 ** EXACT_BITS;
const BUCKET_BITS = EXACT_BITS - 1;
const SHIFTS = 53 - EXACT_BITS + 1;

/** Bit operations are exact only below 2^31; larger values are first scaled down by this many bits. */
const SCALE_BITS = 21;
const INT_LIMIT = 2 ** 31;

/** Counts of samples on the HdrHistogram scale with 3 significant digits. */
export class Histogram {
  readonly #counts = new Uint32Array(EXACT + SHIFTS * 2 ** BUCKET_BITS);

  /** Counts one value in whole nanoseconds. */
  add(value: number): void {
    const index = bucketIndex(value);
    this.#counts[index] = (this.#counts[index] as number) + 1;
  }

  /** The buckets that are not empty, ascending. */
  sparse(): HistogramPairs {
    const pairs: [number, number][] = [];
    for (const [index, count] of this.#counts.entries()) {
      if (count > 0) {
        pairs.push([lowestValue(index), count]);
      }
    }
    return pairs;
  }
}

/** The lowest value of the bucket that `value` falls into. */
export function bucket(value: number): number {
  return lowestValue(bucketIndex(value));
}

/** Index of a value's bucket in the dense table. */
function bucketIndex(value: number): number {
  if (value < INT_LIMIT) {
    return placeOf(value, 0);
  }
  // Only the first 11 binary digits of a value matter, and these survive the division.
  return placeOf(Math.floor(value / 2 ** SCALE_BITS), SCALE_BITS);
}

function placeOf(value: number, scaledBy: number): number {
  const shift = Math.max(0, 32 - Math.clz32(value) - EXACT_BITS);
  return ((shift + scaledBy) << BUCKET_BITS) + (value >>> shift);
}

function lowestValue(index: number): number {
  if (index < EXACT) {
    return index;
  }
  const shift = (index >>> BUCKET_BITS) - 1;
  return (index - (shift << BUCKET_BITS)) * 2 ** shift;
}
