import type { Library, Session } from "../clients/library.js";
import type { LocalCache, SliceEvent } from "../contract/events.js";
import type { SliceOrder } from "../contract/orders.js";
import type { HealthRecorder } from "../recorder/health.js";
import { closingMoment, openingMoment } from "../recorder/moment.js";
import type { Samples } from "../recorder/samples.js";
import type { Walker } from "../workload/walker.js";
import { Failures } from "./failures.js";
import type { Layout } from "./layout.js";
import { Loops } from "./loops.js";
import { IN_SLICE, type Watchdog } from "./watchdog.js";

/** What slices need of a trial. */
export interface Sliced {
  readonly trial: { readonly trialId: string };
  readonly library: Pick<Library, "explain">;
  readonly layout: Layout;
  readonly walkers: readonly Walker[];
  readonly samples: Samples;
  readonly health: HealthRecorder;
}

/** The slices of a trial. */
export class Slices {
  readonly #sliced: Sliced;
  readonly #watchdog: Watchdog;
  readonly #failures: Failures;
  readonly #loops: Loops;
  readonly #localCache: Session["localCache"];
  /** What the client's local cache had done when the last slice, or the verification, ended. */
  #cacheBefore: LocalCache | undefined;

  constructor(sliced: Sliced, session: Session, watchdog: Watchdog) {
    const { layout, walkers, samples, library } = sliced;
    this.#sliced = sliced;
    this.#watchdog = watchdog;
    this.#localCache = session.localCache;
    this.#cacheBefore = session.localCache?.();
    this.#failures = new Failures(library.explain, session.settle, (error) => watchdog.alarm(error));
    this.#loops = new Loops(layout, walkers, session.unit, samples, this.#failures);
  }

  /** Performs one slice; resolves to the event that answers the order. */
  async perform(order: SliceOrder): Promise<SliceEvent> {
    const { samples, health } = this.#sliced;
    this.#failures.clear();
    this.#loops.goTo(order.firstCommand);
    const work = () => health.during(order.keepSamples, () => this.#work(order));
    const answer = await this.#watchdog.guard(work, IN_SLICE, () => this.#loops.units);
    samples.makeRoom();
    return answer;
  }

  async #work({ slice, leadInNs, durationNs, keepSamples }: SliceOrder): Promise<SliceEvent> {
    const loops = this.#loops;
    const cacheBefore = this.#cacheBefore;
    const started = openingMoment();
    const leadIn = await loops.perform(leadInNs, false);
    const measuredFrom = openingMoment();
    const measured = await loops.perform(durationNs, keepSamples);
    const ended = closingMoment();
    this.#cacheBefore = this.#localCache?.();
    const { counts, first } = this.#failures;
    return {
      event: "slice",
      trial_id: this.#sliced.trial.trialId,
      slice,
      started,
      measured_from: measuredFrom,
      ended,
      lead_in: leadIn,
      measured,
      segments: loops.segments(),
      errors: counts,
      first_error: first,
      local_cache: between(cacheBefore, this.#cacheBefore),
    };
  }
}

function between(before: LocalCache | undefined, after: LocalCache | undefined): LocalCache | null {
  return before === undefined || after === undefined
    ? null
    : {
        hits: after.hits - before.hits,
        misses: after.misses - before.misses,
        invalidations: after.invalidations - before.invalidations,
      };
}
