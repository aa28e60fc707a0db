import { type EventLoopUtilization, type PerformanceEntry, PerformanceObserver, performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { nanoseconds } from "./clock.js";

/** The runtime's own health over the window: garbage collection and event loop. */
export class HealthRecorder {
  readonly #collections: PerformanceEntry[] = [];
  readonly #observer = new PerformanceObserver((list) => this.#collections.push(...list.getEntries()));
  #loop: EventLoopUtilization | undefined;

  /** Starts watching. */
  start(): void {
    this.#observer.observe({ entryTypes: ["gc"] });
    this.#loop = performance.eventLoopUtilization();
  }

  /** Stops watching; to be called right after the window. */
  async stop(begin: number, end: number): Promise<Record<string, number>> {
    const { utilization } = performance.eventLoopUtilization(this.#loop);
    // Entries of the last collections are delivered in the next turn of the loop.
    await setImmediate();
    this.#collections.push(...this.#observer.takeRecords());
    this.#observer.disconnect();
    const inside = this.#collections.filter(({ startTime }) => startTime >= begin && startTime <= end);
    return {
      gc_collections: inside.length,
      gc_pause_ns: nanoseconds(inside.reduce((sum, { duration }) => sum + duration, 0)),
      event_loop_utilization: utilization,
    };
  }
}
