/** The contract's limits, the same in every language. */
export const LIMITS = {
  /** The target is lost after this many failed units of one task in a row. */
  failuresInARow: 25,
  /** The target is lost after this long in a slice without a successful unit, whether units fail or do not return. */
  silenceMs: 10_000,
  /** A task waits at most this long for a connection from a pool. */
  poolWaitMs: 3_000,
} as const;
