import { performance } from "node:perf_hooks";
import type { Unit } from "../clients/library.js";
import type { LatencyRecorder } from "../recorder/latency.js";
import type { Walker } from "../workload/walker.js";
import type { Failures } from "./failures.js";
import type { Layout } from "./layout.js";
import type { Meter, Window } from "./window.js";

/** What the loops of a scenario share. */
export interface Loops {
  readonly layout: Layout;
  readonly walkers: readonly Walker[];
  readonly unit: Unit;
  readonly latency: LatencyRecorder;
  readonly failures: Failures;
}

/** Performs units on every walker until the window is over; resolves to when the last one ended. */
export async function perform(loops: Loops, window: Window): Promise<number> {
  const { loopsPerWalker } = loops.layout;
  const running = loops.walkers.flatMap((walker, index) =>
    Array.from({ length: loopsPerWalker }, () =>
      closedLoop(loops, walker, window.meters[index] as Meter, window.begin),
    ),
  );
  const ends = await Promise.all(running);
  return ends.reduce((last, end) => Math.max(last, end), window.begin);
}

/** When the unit under way could start, on the clock. */
interface Lap {
  start: number;
}

/** Units until the window is over; what a failed one means is decided here, out of the way of the others. */
async function closedLoop(loops: Loops, walker: Walker, meter: Meter, begin: number): Promise<number> {
  const lap = { start: begin };
  let failedInARow = 0;
  for (;;) {
    const before = lap.start;
    try {
      return await flawlessLoop(loops, walker, meter, lap);
    } catch (error) {
      failedInARow = lap.start === before ? failedInARow + 1 : 1;
      await loops.failures.accept(error, failedInARow);
    }
    lap.start = performance.now();
    if (meter.isOver(lap.start)) {
      return lap.start;
    }
  }
}

/**
 * One unit after the other until one fails. One look at the clock ends a unit and starts the next.
 *
 * This is the measured loop: whatever stands here, the client is charged for. An error handler around the unit would
 * cost one percent of a command in a full pipeline, so the caller has it.
 */
async function flawlessLoop({ unit, latency }: Loops, walker: Walker, meter: Meter, lap: Lap): Promise<number> {
  for (;;) {
    await unit(walker);
    const end = performance.now();
    latency.add(end - lap.start);
    lap.start = end;
    meter.units += 1;
    if (end >= meter.checkpoint && meter.isOver(end)) {
      return end;
    }
  }
}
