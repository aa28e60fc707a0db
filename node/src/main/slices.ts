import type { Session } from "../clients/library.js";
import type { SliceEvent } from "../contract/events.js";
import type { SliceOrder } from "../contract/orders.js";
import { beginning, ending } from "../recorder/process.js";
import { Failures } from "../scenarios/failures.js";
import { Scenario } from "../scenarios/scenario.js";
import { IN_SLICE, type Watchdog } from "../scenarios/watchdog.js";
import { redacted } from "./exit.js";
import type { Loaded } from "./load.js";

/** Works in slices, as ordered. */
export class Slices {
  readonly #loaded: Loaded;
  readonly #watchdog: Watchdog;
  readonly #failures: Failures;
  readonly #scenario: Scenario;

  constructor(loaded: Loaded, session: Session, watchdog: Watchdog) {
    const { layout, walkers, latency, library } = loaded;
    this.#loaded = loaded;
    this.#watchdog = watchdog;
    this.#failures = new Failures(library.explain, session.settle, (error) => watchdog.alarm(error));
    this.#scenario = new Scenario(layout, walkers, session.unit, latency, this.#failures);
  }

  /** Performs one slice; resolves to the answer. */
  async perform(order: SliceOrder): Promise<SliceEvent> {
    const { latency, health } = this.#loaded;
    this.#failures.clear();
    this.#scenario.goTo(order.firstCommand);
    const work = () => health.during(order.keepSamples, () => this.#work(order));
    const answer = await this.#watchdog.guard(work, IN_SLICE, () => this.#scenario.units);
    latency.makeRoom();
    return answer;
  }

  async #work({ slice, leadInNs, durationNs, keepSamples }: SliceOrder): Promise<SliceEvent> {
    const scenario = this.#scenario;
    const started = beginning();
    const leadIn = await scenario.perform(leadInNs, false);
    const measuredFrom = beginning();
    const measured = await scenario.perform(durationNs, keepSamples);
    const ended = ending();
    const { counts, first } = this.#failures;
    return {
      event: "slice",
      trial_id: this.#loaded.trial.trialId,
      slice,
      started,
      measured_from: measuredFrom,
      ended,
      lead_in: leadIn,
      measured,
      segments: scenario.segments(),
      errors: counts,
      first_error: first === null ? null : redacted(first),
    };
  }
}
