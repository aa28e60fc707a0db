import { performance } from "node:perf_hooks";
import process from "node:process";

const NS_PER_MS = 1e6;

/** CLOCK_MONOTONIC in milliseconds. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / NS_PER_MS;
}

/** When the clock of `performance` began, on CLOCK_MONOTONIC: of ten tries, the one that nothing interrupted. */
export function originMs(): number {
  let [shortest, origin] = [Number.POSITIVE_INFINITY, 0];
  for (let tries = 10; tries > 0; tries -= 1) {
    const before = performance.now();
    const monotonic = monotonicMs();
    const took = performance.now() - before;
    if (took < shortest) {
      [shortest, origin] = [took, monotonic - before - took / 2];
    }
  }
  return origin;
}
