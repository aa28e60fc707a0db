/** Exit codes of the contract. */
export const EXIT = { done: 0, other: 1, invalidInput: 2, unsupported: 3, target: 4 } as const;

/** A failure that one sentence explains: what was wrong, where, and what to do. */
export class RunnerError extends Error {
  /** The exit code of the process. */
  readonly exitCode: number = EXIT.other;
}

/** The trial or an order cannot be understood, is not due, or asks for something that does not exist. */
export class InvalidInput extends RunnerError {
  override readonly exitCode = EXIT.invalidInput;
}

/** The trial is valid, but this client cannot express it. */
export class Unsupported extends RunnerError {
  override readonly exitCode = EXIT.unsupported;
}

/** The target cannot be reached, refused the runner, or was lost. */
export class TargetFailure extends RunnerError {
  override readonly exitCode = EXIT.target;
}

/** A reply is not what its command must return. */
export class WrongReply extends RunnerError {}

/** The harness went away before it had the result. */
export class InputEnded extends RunnerError {}
