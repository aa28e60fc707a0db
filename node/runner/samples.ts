import type { Adapter } from "./adapter.js";

const NS_PER_MS = 1e6;

/** What is recorded of units: latencies in milliseconds of the clock, and the errors of those that failed. */
export class Samples {
  /** Of the slice: how many by class, and the first one's text. */
  failures: { errors: Record<string, number>; first_error: string | null } = { errors: {}, first_error: null };
  /** Written once beforehand: fresh pages would fault in a slice. */
  readonly #storage: Float64Array;
  /** Of an open loop, in the same form: when units were due, in nanoseconds, and how late they started. */
  readonly #dues: Float64Array;
  readonly #lags: Float64Array;
  /** Where the next latency goes; counts on behind the storage. */
  #at = 0;
  /** How many are kept, from the start of the storage. */
  #kept = 0;
  #counts: number[] = [];
  #dropped = 0;

  readonly #explain: Adapter["explain"];

  constructor(room: number, explain?: Adapter["explain"], isOpen = false) {
    this.#explain = explain;
    this.#storage = new Float64Array(room).fill(0);
    this.#dues = new Float64Array(isOpen ? room : 0).fill(0);
    this.#lags = new Float64Array(isOpen ? room : 0).fill(0);
  }

  add(latency: number): void {
    if (this.#at < this.#storage.length) {
      this.#storage[this.#at] = latency;
    }
    this.#at += 1;
  }

  /** Keeps a unit of an open loop; the latency of a failed one is negative. */
  addDue(latency: number, lag: number, due: number): void {
    if (this.#at < this.#storage.length) {
      this.#storage[this.#at] = latency;
      this.#lags[this.#at] = lag;
      this.#dues[this.#at] = due;
    }
    this.#at += 1;
  }

  /** Counts a failed unit. Errors of the program end it; all others are the library's, or its socket's. */
  failed(error: unknown): void {
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) {
      throw error;
    }
    const { error: kind, text } = this.told(error);
    this.failures.errors[kind] = (this.failures.errors[kind] ?? 0) + 1;
    this.failures.first_error ??= text;
  }

  /** What an error is called, and what it says. */
  told(thrown: unknown): { readonly error: string; readonly text: string } {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { code } = error as NodeJS.ErrnoException;
    const kind = error.constructor === Error && code ? code : error.constructor.name;
    return { error: kind, text: (this.#explain?.(error) ?? error.message).slice(0, 500) };
  }

  /** Ends a part of a slice: its latencies are kept, as far as there is room, or forgotten. */
  end(isKept: boolean): void {
    if (isKept) {
      const kept = Math.min(this.#at, this.#storage.length);
      this.#counts.push(kept - this.#kept);
      this.#dropped += this.#at - kept;
      this.#kept = kept;
    }
    this.#at = this.#kept;
  }

  /** Hands over what is kept, and empties the storage. */
  take() {
    const latencies = this.#encoded(this.#storage, NS_PER_MS);
    const ofOpenLoop =
      this.#dues.length > 0 ? { due: this.#encoded(this.#dues, 1), lags: this.#encoded(this.#lags, NS_PER_MS) } : {};
    const taken = { latencies, ...ofOpenLoop, counts: this.#counts, dropped: this.#dropped };
    [this.#at, this.#kept, this.#counts, this.#dropped] = [0, 0, [], 0];
    return taken;
  }

  #encoded(column: Float64Array, factor: number): string {
    const nanoseconds = column.slice(0, this.#kept).map((value) => value * factor);
    return Buffer.from(nanoseconds.buffer).toString("base64");
  }
}
