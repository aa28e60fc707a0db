import { readFileSync } from "node:fs";
import { type PerformanceEntry, PerformanceObserver, performance } from "node:perf_hooks";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { nanoseconds } from "./clock.js";

const BYTES_PER_KIB = 1024;
const PEAK = /^VmHWM:\s*(\d+) kB$/m;

/**
 * The health of the runtime: garbage collection from the first slice whose samples are kept, and the event loop inside
 * such slices.
 *
 * It watches from the start, so no slice is the first to be watched.
 */
export class HealthRecorder {
  readonly #observer = new PerformanceObserver((list) => this.#record(list.getEntries()));
  #since = Infinity;
  #collections = 0;
  #pauseMs = 0;
  #activeMs = 0;
  #idleMs = 0;

  constructor() {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  /** Watches one slice; it counts only if its samples are kept. */
  async during<Outcome>(isKept: boolean, slice: () => Promise<Outcome>): Promise<Outcome> {
    if (isKept) {
      this.#since = Math.min(this.#since, performance.now());
    }
    const before = performance.eventLoopUtilization();
    const outcome = await slice();
    const { active, idle } = performance.eventLoopUtilization(before);
    if (isKept) {
      this.#activeMs += active;
      this.#idleMs += idle;
    }
    return outcome;
  }

  /** Stops watching, and returns the contract's `runtime_health`. */
  async finish(): Promise<Record<string, number>> {
    // Entries of the last collections are delivered in the next turn of the loop.
    await setImmediate();
    this.#record(this.#observer.takeRecords());
    this.#observer.disconnect();
    return {
      gc_collections: this.#collections,
      gc_pause_ns: nanoseconds(this.#pauseMs),
      event_loop_utilization: this.#activeMs / (this.#activeMs + this.#idleMs || 1),
    };
  }

  #record(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of entries) {
      if (startTime >= this.#since) {
        this.#collections += 1;
        this.#pauseMs += duration;
      }
    }
  }
}

/** Peak resident set of this process: VmHWM on Linux. Elsewhere `getrusage`, whose figure starts with the parent's. */
export function peakMemoryBytes(): number {
  return (peakOfProc() ?? process.resourceUsage().maxRSS) * BYTES_PER_KIB;
}

function peakOfProc(): number | undefined {
  try {
    const [, peak] = PEAK.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    return peak === undefined ? undefined : Number(peak);
  } catch {
    return undefined;
  }
}
