/** Exit codes of the contract. */
export const EXIT = { done: 0, other: 1, invalidTrial: 2, unsupported: 3, target: 4 } as const;

/** A failure that one sentence explains: what was wrong, where, and what to do. */
export class RunnerError extends Error {
  /** What the process exits with. */
  readonly exitCode: number = EXIT.other;
}

/** The trial cannot be understood or asks for something that does not exist. */
export class InvalidTrial extends RunnerError {
  override readonly exitCode = EXIT.invalidTrial;
}

/** The trial is valid, but this client cannot express it. */
export class Unsupported extends RunnerError {
  override readonly exitCode = EXIT.unsupported;
}

/** The target cannot be reached, refused us, or was lost. */
export class TargetFailure extends RunnerError {
  override readonly exitCode = EXIT.target;
}

/** A reply is not the one that its command must have. */
export class WrongReply extends RunnerError {}

/** The harness went away before it said `go`, or said something else. */
export class NoGo extends RunnerError {}
