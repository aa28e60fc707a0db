import type { ClientDescription } from "../contract/description.js";
import type { LocalCache } from "../contract/events.js";
import type { ClientChoice, Trial } from "../contract/trial.js";
import type { Walker } from "../workload/walker.js";
import type { WordType, Workload } from "../workload/workload.js";

/**
 * One unit of work: takes its commands from the walker and resolves to their replies.
 *
 * It returns the library's own promise if there is one, so the measured loop adds none.
 */
export type Unit = (walker: Walker) => Promise<unknown>;

/** A connected client, ready to perform units of one scenario. */
export interface Session {
  readonly unit: Unit;
  /** What a reader must know about how the library is used. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** What the client's local cache has done so far, if it has one. */
  localCache?(): LocalCache;
  /** Resolves when nothing of a failed unit is in flight any more. */
  settle(): Promise<unknown>;
  close(): void;
}

/** Opens every connection that the trial uses; `onError` gets the errors that the library reports outside commands. */
export type Connect = (onError: (error: unknown) => void) => Promise<Session>;

/** An error of the library or of its socket. */
export interface ClientError {
  /** The library's error class; for a socket, the system's error code. */
  readonly kind: string;
  readonly message: string;
  /** The system's error code, if there is one. */
  readonly code: string | undefined;
  /** Whether it is the server's reply to a command. */
  readonly isReply: boolean;
  /** Which command of the unit it concerns, counted from 0, if the library says so. */
  readonly position?: number;
}

/** One client library: what it can express, and how it is driven. */
export interface Library {
  readonly description: ClientDescription;
  /** How values are given and returned with the trial's options. */
  wordTypeOf(client: ClientChoice): WordType;
  /** Why it cannot express this trial, or undefined if it can. */
  objection(trial: Trial): string | undefined;
  /** Materialises the workload's commands and whatever else needs no connection. */
  prepare(trial: Trial, workload: Workload): Connect;
  /** What an error says, or undefined if neither the library nor a socket raised it. */
  explain(error: unknown): ClientError | undefined;
}
