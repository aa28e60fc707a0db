/** Behind the room for those that are kept: latencies that are not kept, or do not fit, are written here in turns. */
const SPARE = 1024;
const NS_PER_MS = 1e6;

/** Latencies in milliseconds of the clock, in storage that is written once beforehand: fresh pages would fault in a slice. */
export class Samples {
  readonly #storage: Float64Array;
  readonly #room: number;
  /** Where the next one goes. */
  #at = 0;
  /** How many are kept, from the start of the storage. */
  #kept = 0;
  #counts: number[] = [];
  #dropped = 0;
  /** Those of the part under way that were overwritten. */
  #overwritten = 0;

  constructor(room: number) {
    this.#room = room;
    this.#storage = new Float64Array(room + SPARE).fill(0);
  }

  add(latency: number): void {
    this.#storage[this.#at] = latency;
    this.#at += 1;
    if (this.#at === this.#storage.length) {
      this.#overwritten += this.#at - this.#room;
      this.#at = this.#room;
    }
  }

  /** Ends a part of a slice: its latencies are kept, as far as there is room, or forgotten. */
  end(isKept: boolean): void {
    if (isKept) {
      const end = this.#overwritten > 0 ? this.#room : Math.min(this.#at, this.#room);
      this.#dropped += this.#overwritten + this.#at - end;
      this.#counts.push(end - this.#kept);
      this.#kept = end;
    }
    this.#at = this.#kept;
    this.#overwritten = 0;
  }

  /** Hands over what is kept, and empties the storage. */
  take(): { readonly latencies: string; readonly counts: readonly number[]; readonly dropped: number } {
    const latencies = this.#storage.slice(0, this.#kept).map((latency) => latency * NS_PER_MS);
    const taken = {
      latencies: Buffer.from(latencies.buffer).toString("base64"),
      counts: this.#counts,
      dropped: this.#dropped,
    };
    [this.#at, this.#kept, this.#counts, this.#dropped] = [0, 0, [], 0];
    return taken;
  }
}
