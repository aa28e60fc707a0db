import { performance } from "node:perf_hooks";
import type { Samples } from "./samples.js";

/** Takes one command after another, cyclically. */
export class Walker {
  /** Index of the next command. */
  position = 0;
  /** Units completed in this part of a slice. */
  units = 0;
  readonly #length: number;

  /** Of a workload with so many commands. */
  constructor(length: number) {
    this.#length = length;
  }

  /** Takes the next command; returns its index. */
  next(): number {
    const index = this.position;
    this.position = index + 1 === this.#length ? 0 : index + 1;
    return index;
  }
}

/** Takes its commands from the walker, resolves to their replies: with the library's own promise if there is one. */
export type Unit = (walker: Walker) => Promise<unknown>;

/** What a trial works with. */
export interface Connected {
  readonly unit: Unit;
  /** The replies in what a unit resolves to, where that is not a single one. */
  readonly replies?: (returned: unknown) => unknown[];
  /** Resolves when nothing of a failed unit is in flight any more. */
  readonly settle?: () => Promise<unknown>;
}

/** Performs units until one ends at or after `until`, in milliseconds of the clock. Several calls may share a walker. */
export async function perform(connected: Connected, walker: Walker, samples: Samples, until: number): Promise<void> {
  do {
    try {
      return await performFlawless(connected.unit, walker, samples, until);
    } catch (error) {
      samples.failed(error);
      await connected.settle?.();
    }
  } while (performance.now() < until);
}

/**
 * One unit after another until one fails or the time is over. One clock reading ends a unit and starts the next.
 *
 * This is the measured loop: everything in it is charged to the client. An error handler around the unit would cost
 * one percent of a command in a full pipeline, so the caller has it.
 */
async function performFlawless(unit: Unit, walker: Walker, samples: Samples, until: number): Promise<void> {
  let start = performance.now();
  for (;;) {
    await unit(walker);
    const end = performance.now();
    samples.add(end - start);
    start = end;
    walker.units += 1;
    if (end >= until) {
      return;
    }
  }
}
