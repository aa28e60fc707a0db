import { loadLibrary } from "../clients/registry.js";
import { checkGo } from "../contract/parse-go.js";
import { parseTrial } from "../contract/parse-trial.js";
import { InvalidTrial } from "../errors.js";
import { layoutOf } from "../scenarios/layout.js";
import { Watchdog } from "../scenarios/watchdog.js";
import { readWorkload } from "../workload/file.js";
import { Channel, print } from "./channel.js";
import { keepSecret } from "./exit.js";
import { explained } from "./explain.js";
import { readyEvent } from "./ready.js";
import { checkSupport, connect, measureWindow, type Stage, verifyReplies, warmUp } from "./stages.js";

/** One trial, from its line on standard input to its `result`. */
export async function run(): Promise<void> {
  const channel = new Channel();
  const stage = await prepare(channel);
  try {
    await conduct(stage, channel);
  } catch (error) {
    throw explained(error, stage);
  }
}

/** Everything that needs no target. */
async function prepare(channel: Channel): Promise<Stage> {
  const trial = parseTrial(await firstLine(channel));
  keepSecret(trial.target.password);
  const library = await loadLibrary(trial.client);
  checkSupport(library, trial.shape);
  const workload = readWorkload(trial.workload.path);
  return { trial, library, workload, layout: layoutOf(trial.shape), watchdog: new Watchdog() };
}

/** The steps of the contract, in its order. */
async function conduct(stage: Stage, channel: Channel): Promise<void> {
  const session = await connect(stage);
  const verified = await verifyReplies(stage, session);
  const warm = await warmUp(stage, session);
  print(readyEvent(stage.trial, verified, warm));
  checkGo(await channel.line());
  print(await measureWindow(stage, session, warm.latency));
  // The harness reads the server's counters first: a connection that closes counts there.
  await channel.ended();
  session.close();
}

async function firstLine(channel: Channel): Promise<string> {
  const line = await channel.line();
  if (line === undefined) {
    throw new InvalidTrial("standard input is empty: it must start with one trial as JSON on one line");
  }
  return line;
}
