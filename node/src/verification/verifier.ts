import type { Library, Session } from "../clients/library.js";
import { isRefusal } from "../clients/refusals.js";
import { WrongReply } from "../errors.js";
import type { Layout } from "../scenarios/layout.js";
import type { Walker } from "../workload/walker.js";
import type { Workload } from "../workload/workload.js";
import { commandText, mismatch } from "./expectation.js";

/** What verification needs of a trial. */
export interface Verified {
  readonly library: Library;
  readonly workload: Workload;
  readonly session: Session;
  readonly layout: Layout;
  readonly walkers: readonly Walker[];
}

/**
 * Performs whole units until `commands` commands are done and checks every reply; returns how many it checked.
 *
 * These are the units of the measured loop, so what is verified is what is measured.
 */
export async function verify(verified: Verified, commands: number, onUnit: () => void): Promise<number> {
  const { session, layout } = verified;
  const walker = verified.walkers[0] as Walker;
  walker.goTo(0);
  let checked = 0;
  while (checked < commands) {
    const from = walker.position;
    const outcome = await session.unit(walker).catch((error: unknown) => refuse(verified, from, error));
    check(verified, from, repliesOf(layout, outcome));
    checked += layout.commandsPerUnit;
    onUnit();
  }
  return checked;
}

function check({ workload, layout }: Verified, from: number, replies: readonly unknown[]): void {
  if (replies.length !== layout.commandsPerUnit) {
    throw new WrongReply(
      `${layout.commandsPerUnit} commands were sent, ${replies.length} replies came: the client lost count`,
    );
  }
  for (const [offset, reply] of replies.entries()) {
    const index = (from + offset) % workload.length;
    const wrong = mismatch(workload, index, reply);
    if (wrong !== undefined) {
      throw new WrongReply(`the reply to ${commandText(workload, index)} ${wrong}`);
    }
  }
}

/** A command that the server rejects is a wrong reply, unless the server refuses the runner as a whole. */
function refuse({ library, workload, layout }: Verified, from: number, error: unknown): never {
  const explained = library.explain(error);
  if (explained === undefined || !explained.isReply || isRefusal(explained)) {
    throw error;
  }
  const index = (from + (explained.position ?? 0)) % workload.length;
  const certain = explained.position !== undefined || layout.commandsPerUnit === 1;
  const orOther = certain ? "" : ", or one in its unit,";
  throw new WrongReply(
    `${commandText(workload, index)}${orOther} failed in verification (${explained.message}): ` +
      "the target must know every command of the workload",
  );
}

/** A unit of one command resolves to its reply, a unit of several to a list of replies. */
function repliesOf({ sampleCovers }: Layout, outcome: unknown): readonly unknown[] {
  const isSingle = sampleCovers === "command" || sampleCovers === "connection";
  return isSingle ? [outcome] : (outcome as readonly unknown[]);
}
