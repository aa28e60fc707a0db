import { SCHEMA_VERSION } from "../contract/version.js";
import { sinceProcessStart } from "../recorder/clock.js";
import { Slices } from "../scenarios/slices.js";
import { Watchdog } from "../scenarios/watchdog.js";
import { Channel, print } from "./channel.js";
import { connect } from "./connect.js";
import { redacted } from "./ending.js";
import { explained } from "./explain.js";
import { type Loaded, load } from "./load.js";
import { resultOf } from "./result.js";

/** One trial, from its line on standard input until standard input ends. */
export async function run(environment: string): Promise<void> {
  const channel = new Channel();
  const loaded = await load(await channel.trial(), environment);
  try {
    await obey(loaded, channel);
  } catch (error) {
    throw explained(error, loaded);
  }
}

/** The steps of a trial, as the contract numbers them. */
async function obey(loaded: Loaded, channel: Channel): Promise<void> {
  const trial_id = loaded.trial.trialId;
  print({ event: "loaded", schema_version: SCHEMA_VERSION, trial_id, startup_ns: sinceProcessStart() });
  await channel.order("connect");
  const watchdog = new Watchdog();
  const { session, connectNs, verifiedReplies } = await connect(loaded, watchdog);
  try {
    print({ event: "ready", trial_id, connect_ns: connectNs, verified_replies: verifiedReplies });
    await work(new Slices(loaded, session, watchdog), channel);
    print(await resultOf(loaded, session));
    // The harness reads the server's counters first: a closing connection would count as one more read.
    await channel.ended();
  } finally {
    session.close();
  }
}

/** Performs slices until the order `finish`. */
async function work(slices: Slices, channel: Channel): Promise<void> {
  for (;;) {
    const order = await channel.order("slice", "finish");
    if (order.order === "finish") {
      return;
    }
    const answer = await slices.perform(order);
    print({ ...answer, first_error: answer.first_error && redacted(answer.first_error) });
  }
}
