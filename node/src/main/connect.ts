import { performance } from "node:perf_hooks";
import type { Session } from "../clients/library.js";
import { nanoseconds } from "../recorder/clock.js";
import { AT_START, type Watchdog } from "../scenarios/watchdog.js";
import { verify } from "../verification/verifier.js";
import type { Loaded } from "./load.js";

/** A session, and what `ready` reports about it. */
export interface Connected {
  readonly session: Session;
  readonly connectNs: number;
  readonly verifiedReplies: number;
}

/** Opens the trial's connections and verifies replies. */
export async function connect(loaded: Loaded, watchdog: Watchdog): Promise<Connected> {
  const begin = performance.now();
  const session = await watchdog.guard(() => loaded.connect((error) => watchdog.alarm(error)), AT_START);
  const connectNs = nanoseconds(performance.now() - begin);
  let units = 0;
  const onUnit = () => {
    units += 1;
  };
  const verifying = () => verify({ ...loaded, session }, loaded.trial.verifyCommands, onUnit);
  const verifiedReplies = await watchdog.guard(verifying, AT_START, () => units);
  return { session, connectNs, verifiedReplies };
}
