import { performance } from "node:perf_hooks";
import type { Samples } from "./samples.js";
import type { Walker } from "./workload.js";

/**
 * One unit of work: takes its commands from the walker and resolves to its replies.
 *
 * It returns the library's own promise if there is one, so that the measured loop adds none.
 */
export type Unit = (walker: Walker) => Promise<unknown>;

/** Hears of a failed unit; resolves when nothing of it is in flight any more. */
export type OnFailure = (error: unknown) => Promise<unknown>;

/** Performs units of one walker, one after another. In a sliding window several loops share a walker. */
export class Loop {
  /** Units completed since the start. */
  units = 0;
  readonly walker: Walker;
  readonly #unit: Unit;
  readonly #samples: Samples;
  readonly #onFailure: OnFailure;

  constructor(walker: Walker, unit: Unit, samples: Samples, onFailure: OnFailure) {
    this.walker = walker;
    this.#unit = unit;
    this.#samples = samples;
    this.#onFailure = onFailure;
  }

  /** Performs units from `begin` until one ends at or after `until`, both in milliseconds of the clock. */
  async perform(begin: number, until: number): Promise<void> {
    let start = begin;
    do {
      try {
        return await this.#performFlawless(start, until);
      } catch (error) {
        await this.#onFailure(error);
      }
      start = performance.now();
    } while (start < until);
  }

  /**
   * One unit after another until one fails or the time is over. One clock reading ends a unit and starts the next.
   *
   * This is the measured loop: everything in it is charged to the client. An error handler around the unit would cost
   * one percent of a command in a full pipeline, so the caller has it.
   */
  async #performFlawless(begin: number, until: number): Promise<void> {
    let start = begin;
    const unit = this.#unit;
    const walker = this.walker;
    const samples = this.#samples;
    for (;;) {
      await unit(walker);
      const end = performance.now();
      samples.add(end - start);
      start = end;
      this.units += 1;
      if (end >= until) {
        return;
      }
    }
  }
}

/** A loop as a user would write it, without latencies and failures: what the measured loop is held against. */
export async function bare(unit: Unit, walker: Walker, until: number): Promise<number> {
  let units = 0;
  do {
    await unit(walker);
    units += 1;
  } while (performance.now() < until);
  return units;
}
