import { performance } from "node:perf_hooks";
import type { Unit } from "../clients/library.js";
import type { Samples } from "../recorder/samples.js";
import type { Walker } from "../workload/walker.js";
import type { Failures } from "./failures.js";

/**
 * Performs units of one walker, one after another; lives from verification to the end.
 *
 * In a sliding window several loops share one walker.
 */
export class Loop {
  /** Units completed without error since the start. */
  units = 0;
  readonly #walker: Walker;
  readonly #unit: Unit;
  readonly #samples: Samples;
  readonly #failures: Failures;
  #failedInARow = 0;
  #unitsAtFailure = 0;

  constructor(walker: Walker, unit: Unit, samples: Samples, failures: Failures) {
    this.#walker = walker;
    this.#unit = unit;
    this.#samples = samples;
    this.#failures = failures;
  }

  /** Performs units from `begin` until one ends at or after `until`; handles failed units. */
  async perform(begin: number, until: number): Promise<void> {
    let start = begin;
    do {
      try {
        return await this.#performFlawless(start, until);
      } catch (error) {
        await this.#failed(error);
      }
      start = performance.now();
    } while (start < until);
  }

  /**
   * One unit after another until one fails or the part is over. One clock read ends a unit and starts the next.
   *
   * This is the measured loop: everything in it is charged to the client. An error handler around the unit would cost
   * one percent of a command in a full pipeline, so the caller has it.
   */
  async #performFlawless(begin: number, until: number): Promise<void> {
    let start = begin;
    const unit = this.#unit;
    const walker = this.#walker;
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

  /** Failures in a row are counted across slices: a target that fails slowly is lost, too. */
  #failed(error: unknown): Promise<void> {
    this.#failedInARow = this.units === this.#unitsAtFailure ? this.#failedInARow + 1 : 1;
    this.#unitsAtFailure = this.units;
    return this.#failures.accept(error, this.#failedInARow);
  }
}
