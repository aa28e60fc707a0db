import type { ClientError } from "../clients/library.js";
import { lostTarget, targetFailure } from "../clients/refusals.js";
import { RunnerError } from "../errors.js";
import { ConnectionFailed, Lost } from "../scenarios/watchdog.js";
import type { Loaded } from "./load.js";

/** The failure with its one-sentence explanation; a fault of the runner stays as it is. */
export function explained(error: unknown, { library, trial }: Loaded): unknown {
  if (error instanceof RunnerError) {
    return error;
  }
  if (error instanceof ConnectionFailed) {
    return targetFailure(library.explain(error.cause) ?? asReported(error.cause), trial.target);
  }
  if (error instanceof Lost) {
    const heard = error.cause === undefined ? undefined : (library.explain(error.cause) ?? asReported(error.cause));
    return lostTarget(error.message, heard, trial.target);
  }
  const known = library.explain(error);
  return known === undefined ? error : targetFailure(known, trial.target);
}

/** An error that a library reports about its connection concerns the target, whatever its class. */
function asReported(error: unknown): ClientError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { kind: name, message, code: undefined, isReply: false };
}
