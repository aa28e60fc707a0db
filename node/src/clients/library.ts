import type { ClientDescription } from "../contract/description.js";
import type { LocalCache } from "../contract/events.js";
import type { ClientChoice, Trial } from "../contract/trial.js";
import type { Walker } from "../workload/walker.js";
import type { WordType, Workload } from "../workload/workload.js";

/**
 * One unit of work: takes its commands from the walker and resolves to their replies.
 *
 * It returns the library's own promise wherever there is one, so that the measured loop adds none.
 */
export type Unit = (walker: Walker) => Promise<unknown>;

/** A connected client, ready to perform units of one scenario. */
export interface Session {
  readonly unit: Unit;
  /** What a reader must know of how the library was called. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** What the client's own cache has done until now, where it has one. */
  localCache?(): LocalCache;
  /** Resolves when nothing of a failed unit is in flight any more. */
  settle(): Promise<unknown>;
  close(): void;
}

/** Opens every connection that the trial uses; `onError` hears what the library reports outside of any command. */
export type Connect = (onError: (error: unknown) => void) => Promise<Session>;

/** An error of the library or of its socket. */
export interface ClientError {
  /** The library's error class; for a socket, the system's error code. */
  readonly kind: string;
  readonly message: string;
  /** The system's error code, where there is one. */
  readonly code: string | undefined;
  /** Whether it is the server's answer to a command. */
  readonly isReply: boolean;
  /** Which command of the unit it is about, counted from 0, where the library says so. */
  readonly position?: number;
}

/** One client library: connects, and has for each scenario one unit of work. */
export interface Library {
  readonly description: ClientDescription;
  /** What values are with the trial's options. */
  wordTypeOf(client: ClientChoice): WordType;
  /** Why it cannot express this shape with these options, or undefined when it can. */
  objection(trial: Trial): string | undefined;
  /** Materialises the workload's commands and whatever else needs no connection. */
  prepare(trial: Trial, workload: Workload): Connect;
  /** What an error says, or undefined when neither library nor socket raised it. */
  explain(error: unknown): ClientError | undefined;
}
