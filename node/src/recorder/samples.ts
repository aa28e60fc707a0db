import type { HistogramPairs } from "../contract/events.js";
import { nanoseconds } from "./clock.js";
import { Histogram } from "./histogram.js";

/** Half of it is more than any client needs in a slice of a few tenths of a second. */
const CAPACITY = 2 ** 18;

/** Raw samples in preallocated storage, folded into a histogram between slices. */
export class Samples {
  readonly #storage: Float64Array;
  readonly #histogram = new Histogram();
  #longest = 0;
  #count = 0;
  /** Where the samples of this part of a slice begin, and whether they are kept. */
  #begin = 0;
  #isKept = false;

  constructor(capacity = CAPACITY) {
    // Filling it touches its memory: fresh pages would fault inside a slice.
    this.#storage = new Float64Array(capacity).fill(0);
  }

  /** Samples that wait to be folded. */
  get pending(): number {
    return this.#count;
  }

  /** Starts a part of a slice. */
  begin(isKept: boolean): void {
    this.#begin = this.#count;
    this.#isKept = isKept;
  }

  /** Records one sample in milliseconds of the clock. */
  add(sample: number): void {
    this.#storage[this.#count] = sample;
    this.#count += 1;
    if (this.#count === this.#storage.length) {
      this.#fold();
    }
  }

  /** Ends a part of a slice: its samples are kept or dropped. */
  end(): void {
    if (!this.#isKept) {
      this.#count = this.#begin;
    }
  }

  /** Between slices: makes room if more than half of the storage is used. */
  makeRoom(): void {
    if (this.pending > this.#storage.length / 2) {
      this.#fold();
    }
  }

  /** The histogram of all kept samples, and the longest sample. */
  summary(): { readonly histogram: HistogramPairs; readonly maxNs: number } {
    this.#fold();
    return { histogram: this.#histogram.sparse(), maxNs: this.#longest };
  }

  #fold(): void {
    for (const sample of this.#storage.subarray(0, this.#isKept ? this.#count : this.#begin)) {
      const value = nanoseconds(sample);
      this.#histogram.add(value);
      this.#longest = Math.max(this.#longest, value);
    }
    this.#count = 0;
    this.#begin = 0;
  }
}
