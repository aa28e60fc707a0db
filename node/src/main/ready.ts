import type { ReadyEvent } from "../contract/events.js";
import type { Trial } from "../contract/trial.js";
import { SCHEMA_VERSION } from "../contract/version.js";
import { nanoseconds, sinceProcessStart } from "../recorder/clock.js";
import type { WarmUp } from "./stages.js";

/** The `ready` event. */
export function readyEvent({ trialId }: Trial, verifiedReplies: number, { elapsedMs, operations }: WarmUp): ReadyEvent {
  return {
    event: "ready",
    schema_version: SCHEMA_VERSION,
    trial_id: trialId,
    startup_ns: sinceProcessStart() - nanoseconds(elapsedMs),
    verified_replies: verifiedReplies,
    warmup_operations: operations,
  };
}
