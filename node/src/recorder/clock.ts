import { performance } from "node:perf_hooks";

/**
 * The monotonic clock, in milliseconds since the process started.
 *
 * `performance.now` and `process.hrtime` both cost about 40 ns per call and have a resolution of nanoseconds;
 * `process.hrtime.bigint` costs half as much again, and `process.hrtime` makes an array for each call.
 * So the loops call `performance.now` directly, and this module has only the conversions.
 */
export const NS_PER_MS = 1e6;

/** Milliseconds of the clock as whole nanoseconds. */
export function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * NS_PER_MS);
}

/** Nanoseconds since the process started. */
export function sinceProcessStart(): number {
  return nanoseconds(performance.now());
}
