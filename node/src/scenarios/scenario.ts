import { performance } from "node:perf_hooks";
import type { Unit } from "../clients/library.js";
import type { Segment, Work } from "../contract/events.js";
import { NS_PER_MS } from "../recorder/clock.js";
import type { LatencyRecorder } from "../recorder/latency.js";
import type { Walker } from "../workload/walker.js";
import type { Failures } from "./failures.js";
import type { Layout } from "./layout.js";
import { Loop } from "./loop.js";

/** Loops that share a walker. */
interface Lane {
  readonly walker: Walker;
  readonly loops: readonly Loop[];
  /** Units done when the slice began. */
  before: number;
}

/** The loops of a scenario, which work in slices and wait in between. */
export class Scenario {
  readonly #lanes: readonly Lane[];
  readonly #loops: readonly Loop[];
  readonly #latency: LatencyRecorder;
  readonly #commandsPerUnit: number;

  constructor(layout: Layout, walkers: readonly Walker[], unit: Unit, latency: LatencyRecorder, failures: Failures) {
    this.#lanes = walkers.map((walker) => ({
      walker,
      loops: Array.from({ length: layout.loopsPerWalker }, () => new Loop(walker, unit, latency, failures)),
      before: 0,
    }));
    this.#loops = this.#lanes.flatMap(({ loops }) => loops);
    this.#latency = latency;
    this.#commandsPerUnit = layout.commandsPerUnit;
  }

  /** Units completed since the start. */
  get units(): number {
    return unitsOf(this.#loops);
  }

  /** Sends every walker to its first command of a slice. */
  goTo(firstCommand: number): void {
    for (const lane of this.#lanes) {
      lane.walker.goTo(firstCommand);
      lane.before = unitsOf(lane.loops);
    }
  }

  /** Performs units for so long, and completes what is in flight. */
  async perform(durationNs: number, isKept: boolean): Promise<Work> {
    const before = this.units;
    this.#latency.begin(isKept);
    if (durationNs > 0) {
      const begin = performance.now();
      const until = begin + durationNs / NS_PER_MS;
      await Promise.all(this.#loops.map((loop) => loop.perform(begin, until)));
    }
    this.#latency.end();
    const units = this.units - before;
    return { operations: units * this.#commandsPerUnit, units };
  }

  /** Each walker's way since `goTo`. */
  segments(): readonly Segment[] {
    return this.#lanes.map(({ walker, loops, before }) => ({
      first_command: walker.first,
      operations: (unitsOf(loops) - before) * this.#commandsPerUnit,
    }));
  }
}

function unitsOf(loops: readonly Loop[]): number {
  return loops.reduce((sum, { units }) => sum + units, 0);
}
