import type { Histogram } from "../contract/events.js";
import { nanoseconds } from "./clock.js";
import { LatencyCounts } from "./histogram.js";

const LEAST_SAMPLES = 2 ** 16;
const MOST_SAMPLES = 2 ** 23;
const SAMPLES_PER_SECOND = 3e5;

/** How many samples to make room for, so that no window of this length has to fold before its end. */
export function capacityFor(windowS: number): number {
  const expected = Math.ceil(windowS * SAMPLES_PER_SECOND);
  return Math.min(MOST_SAMPLES, Math.max(LEAST_SAMPLES, expected));
}

/**
 * Raw samples in storage made beforehand, folded into a histogram after the window.
 *
 * A window that outgrows the storage folds when it is full.
 */
export class LatencyRecorder {
  readonly #samples: Float64Array;
  #count = 0;
  #counts = new LatencyCounts();
  #longest = 0;

  constructor(capacity: number) {
    this.#samples = new Float64Array(capacity);
  }

  /** Records one sample in milliseconds of the clock. */
  add(sample: number): void {
    this.#samples[this.#count] = sample;
    this.#count += 1;
    if (this.#count === this.#samples.length) {
      this.#fold();
    }
  }

  /** Forgets everything, as before the window. */
  clear(): void {
    this.#count = 0;
    this.#counts = new LatencyCounts();
    this.#longest = 0;
  }

  /** Everything recorded, and the longest sample. */
  summary(): { readonly histogram: Histogram; readonly maxNs: number } {
    this.#fold();
    return { histogram: this.#counts.sparse(), maxNs: this.#longest };
  }

  #fold(): void {
    for (const sample of this.#samples.subarray(0, this.#count)) {
      const value = nanoseconds(sample);
      this.#counts.add(value);
      this.#longest = Math.max(this.#longest, value);
    }
    this.#count = 0;
  }
}
