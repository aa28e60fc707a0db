import type { Connect, Library } from "../clients/library.js";
import { loadersOf, loadLibrary } from "../clients/registry.js";
import { parseTrial } from "../contract/parse-trial.js";
import type { Trial } from "../contract/trial.js";
import { Unsupported } from "../errors.js";
import { makeLasting } from "../recorder/garbage.js";
import { HealthRecorder } from "../recorder/health.js";
import { Samples } from "../recorder/samples.js";
import { type Layout, layoutOf } from "../scenarios/layout.js";
import { readWorkload } from "../workload/file.js";
import { type Walker, walkersOf } from "../workload/walker.js";
import type { Workload } from "../workload/workload.js";
import { keepSecret } from "./ending.js";

/** Everything that a trial needs, except its connections. */
export interface Loaded {
  readonly trial: Trial;
  readonly library: Library;
  readonly workload: Workload;
  readonly connect: Connect;
  readonly layout: Layout;
  readonly walkers: readonly Walker[];
  readonly samples: Samples;
  readonly health: HealthRecorder;
}

/** Loads the library and materialises the commands. */
export async function load(line: string, environment: string): Promise<Loaded> {
  const trial = parseTrial(line);
  keepSecret(trial.target.password);
  const library = await loadLibrary(trial.client, loadersOf(environment));
  checkSupport(library, trial);
  return makeLasting(() => prepare(trial, library));
}

function prepare(trial: Trial, library: Library): Loaded {
  const workload = readWorkload(trial.workload.path, library.wordTypeOf(trial.client));
  const layout = layoutOf(trial.shape);
  return {
    trial,
    library,
    workload,
    connect: library.prepare(trial, workload),
    layout,
    walkers: walkersOf(workload.length, trial.workload, layout.walkers),
    samples: new Samples(),
    health: new HealthRecorder(),
  };
}

/** Refuses what the library cannot express. */
function checkSupport(library: Library, trial: Trial): void {
  const objection = library.objection(trial);
  if (objection !== undefined) {
    throw new Unsupported(`${library.description.library} cannot do this ${trial.shape.scenario}: ${objection}`);
  }
}
