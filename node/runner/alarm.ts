import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers";
import { Worker } from "node:worker_threads";
import { originMs } from "./clock.js";

/** A sleep ends so long before what it waits for: most sleepers wake later by less than that. */
export const MARGIN_MS = 0.02;

/** What the main thread and the sleeper share. */
export class Shared {
  readonly memory: SharedArrayBuffer;
  /** How often a time has been set. */
  readonly count: Int32Array;
  /** Never changes: what the sleeper waits for in vain until its time is over. */
  readonly nothing: Int32Array;
  /** The time, in milliseconds of CLOCK_MONOTONIC. */
  readonly time: Float64Array;

  constructor(memory = new SharedArrayBuffer(16)) {
    this.memory = memory;
    this.count = new Int32Array(memory, 0, 1);
    this.nothing = new Int32Array(memory, 4, 1);
    this.time = new Float64Array(memory, 8, 1);
  }
}

interface Waiting {
  readonly time: number;
  readonly wake: () => void;
}

/**
 * Wakes those who wait when their time has come. Node's timers have whole milliseconds, and looking at the clock again
 * and again would take a processor: one more thread sleeps for the first of those who wait, and then for the next one.
 */
export class Alarm {
  /** How long before a time comes the clock is read. */
  awakeMs = MARGIN_MS;
  readonly #shared = new Shared();
  readonly #sleeper = new Worker(new URL("./sleeper.js", import.meta.url), { workerData: this.#shared.memory });
  /** In the order of their times: places take units in the order in which they are due. */
  readonly #waiting: Waiting[] = [];
  readonly #look = () => this.#wakeThoseDue();
  readonly #origin = originMs();

  /** Resolves when the sleeper has started. */
  async start(): Promise<void> {
    this.#sleeper.on("message", this.#look);
    await once(this.#sleeper, "online");
  }

  /** Resolves at this time of the clock of `performance`. */
  at(time: number): Promise<void> {
    return new Promise((wake) => {
      this.#waiting.push({ time, wake });
      if (this.#waiting.length === 1) {
        this.#waitFor(time);
      }
    });
  }

  /** Ends the sleeper. */
  async stop(): Promise<void> {
    await this.#sleeper.terminate();
  }

  #wakeThoseDue(): void {
    const now = performance.now();
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (first.time > now) {
        this.#waitFor(first.time);
        return;
      }
      this.#waiting.shift();
      first.wake();
    }
  }

  #waitFor(time: number): void {
    if (time - performance.now() <= this.awakeMs) {
      setImmediate(this.#look);
      return;
    }
    this.#shared.time[0] = time + this.#origin - this.awakeMs;
    Atomics.add(this.#shared.count, 0, 1);
    Atomics.notify(this.#shared.count, 0);
  }
}
