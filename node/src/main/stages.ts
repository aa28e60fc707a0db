import { performance } from "node:perf_hooks";
import type { Library, Session } from "../clients/library.js";
import type { ResultEvent } from "../contract/events.js";
import type { Shape, Trial } from "../contract/trial.js";
import { Unsupported } from "../errors.js";
import { capacityFor, LatencyRecorder } from "../recorder/latency.js";
import { CountedFailures, type Failures, STRICT } from "../scenarios/failures.js";
import type { Layout } from "../scenarios/layout.js";
import { type Loops, perform } from "../scenarios/loop.js";
import { AT_START, IN_WINDOW, type Watchdog } from "../scenarios/watchdog.js";
import { Window } from "../scenarios/window.js";
import { verify } from "../verification/verify.js";
import { walkersOf } from "../workload/walker.js";
import type { Workload } from "../workload/workload.js";
import { print } from "./channel.js";
import { measure } from "./measure.js";
import { resultOf } from "./result.js";

/** What every step of a trial needs. */
export interface Stage {
  readonly trial: Trial;
  readonly library: Library;
  readonly workload: Workload;
  readonly layout: Layout;
  readonly watchdog: Watchdog;
}

/** What the warm-up leaves: its figures, and the recorder that it has warmed up. */
export interface WarmUp {
  readonly elapsedMs: number;
  readonly operations: number;
  readonly latency: LatencyRecorder;
}

/** Refuses what the library cannot express. */
export function checkSupport(library: Library, shape: Shape): void {
  const objection = library.objection(shape);
  if (objection !== undefined) {
    throw new Unsupported(`${library.description.library} cannot do this ${shape.scenario}: ${objection}`);
  }
}

/** Connects once; a library that would try for ever is stopped at its first error. */
export function connect({ trial, library, workload, watchdog }: Stage): Promise<Session> {
  const onError = (error: unknown) => watchdog.alarm(error);
  return watchdog.guard(library.open(trial, workload, onError), AT_START);
}

/** Checks replies before anything is measured; returns how many. */
export function verifyReplies(stage: Stage, session: Session): Promise<number> {
  const { library, workload, layout, trial } = stage;
  const [walker] = walkersOf(workload.length, trial.workload, layout.walkers);
  let units = 0;
  const count = () => {
    units += 1;
  };
  const verified = { library, workload, session, layout, first: walker?.first ?? 0 };
  return stage.watchdog.guard(verify(verified, trial.verifyCommands, count), AT_START, () => units);
}

/** Runs the scenario itself for a while, so that the window meets code that is compiled and connections that are warm. */
export async function warmUp(stage: Stage, session: Session): Promise<WarmUp> {
  const { trial, layout, watchdog } = stage;
  const latency = new LatencyRecorder(capacityFor(trial.measureS));
  if (trial.warmupS === 0) {
    return { elapsedMs: 0, operations: 0, latency };
  }
  const loops = loopsOf(stage, session, latency, STRICT);
  const window = new Window(performance.now(), trial.warmupS, layout.walkers, layout.commandsPerUnit);
  const end = await watchdog.guard(perform(loops, window), AT_START, () => window.units);
  latency.clear();
  return { elapsedMs: end - window.begin, operations: window.operations, latency };
}

/** Measures; the walk through the workload starts anew. */
export async function measureWindow(stage: Stage, session: Session, latency: LatencyRecorder): Promise<ResultEvent> {
  const { trial, library, watchdog } = stage;
  const failures = new CountedFailures(library.explain, session.settle, (error) => watchdog.alarm(error));
  const loops = loopsOf(stage, session, latency, failures);
  const onProgress = (elapsedNs: number, operations: number) =>
    print({ event: "progress", trial_id: trial.trialId, elapsed_ns: elapsedNs, operations });
  let window: Window | undefined;
  const onWindow = (opened: Window) => {
    window = opened;
  };
  const measuring = measure(loops, trial.measureS, onWindow, onProgress);
  const measured = await watchdog.guard(measuring, IN_WINDOW, () => window?.units ?? 0);
  return resultOf({ trial, library, session, loops, failures, measured });
}

function loopsOf(
  { layout, trial, workload }: Stage,
  { unit }: Session,
  latency: LatencyRecorder,
  failures: Failures,
): Loops {
  return { layout, walkers: walkersOf(workload.length, trial.workload, layout.walkers), unit, latency, failures };
}
