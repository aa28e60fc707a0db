/** The contract's limits, the same in every language. */
export const LIMITS = {
  /** So many failed units of one loop in a row, and the target is lost. */
  failuresInARow: 25,
  /** So long in a slice without a unit that succeeds, whether units fail or do not come back. */
  silenceMs: 10_000,
  /** A task waits at most so long for a connection of a pool. */
  poolWaitMs: 3_000,
} as const;
