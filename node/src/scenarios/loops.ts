import { performance } from "node:perf_hooks";
import type { Unit } from "../clients/library.js";
import type { Segment, Work } from "../contract/events.js";
import { NS_PER_MS } from "../recorder/clock.js";
import type { Samples } from "../recorder/samples.js";
import type { Walker } from "../workload/walker.js";
import type { Failures } from "./failures.js";
import type { Layout } from "./layout.js";
import { Loop } from "./loop.js";

/** Loops that share a walker. */
interface Group {
  readonly walker: Walker;
  readonly loops: readonly Loop[];
  /** Units done when the slice began. */
  before: number;
}

/** All loops of a trial, which work in slices and wait in between. */
export class Loops {
  readonly #groups: readonly Group[];
  readonly #loops: readonly Loop[];
  readonly #samples: Samples;
  readonly #commandsPerUnit: number;

  constructor(layout: Layout, walkers: readonly Walker[], unit: Unit, samples: Samples, failures: Failures) {
    this.#groups = walkers.map((walker) => ({
      walker,
      loops: Array.from({ length: layout.loopsPerWalker }, () => new Loop(walker, unit, samples, failures)),
      before: 0,
    }));
    this.#loops = this.#groups.flatMap(({ loops }) => loops);
    this.#samples = samples;
    this.#commandsPerUnit = layout.commandsPerUnit;
  }

  /** Units completed since the start. */
  get units(): number {
    return unitsOf(this.#loops);
  }

  /** Sends every walker to its first command of a slice. */
  goTo(firstCommand: number): void {
    for (const group of this.#groups) {
      group.walker.goTo(firstCommand);
      group.before = unitsOf(group.loops);
    }
  }

  /** Performs one part of a slice, and completes what is in flight. */
  async perform(durationNs: number, isKept: boolean): Promise<Work> {
    const before = this.units;
    this.#samples.begin(isKept);
    if (durationNs > 0) {
      const begin = performance.now();
      const until = begin + durationNs / NS_PER_MS;
      await Promise.all(this.#loops.map((loop) => loop.perform(begin, until)));
    }
    this.#samples.end();
    const units = this.units - before;
    return { operations: units * this.#commandsPerUnit, units };
  }

  /** Each walker's path since `goTo`. */
  segments(): readonly Segment[] {
    return this.#groups.map(({ walker, loops, before }) => ({
      first_command: walker.first,
      operations: (unitsOf(loops) - before) * this.#commandsPerUnit,
    }));
  }
}

function unitsOf(loops: readonly Loop[]): number {
  return loops.reduce((sum, { units }) => sum + units, 0);
}
