import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Connected, Walker } from "./loop.js";
import type { Samples } from "./samples.js";

const NS_PER_MS = 1e6;
/** Timers have whole milliseconds, counted from when the turn of the event loop began, and are late by up to two. */
const TIMER_IS_LATE_MS = 3;

/** Of `work`: what makes the loop an open one. */
export interface Arrivals {
  readonly file: string;
  readonly at: number;
  readonly drain_ns: number;
}

/** The units of the lead-in or of the measured part, with times in milliseconds of the clock. */
export interface Part {
  /** When each of this process's units is due. */
  readonly times: Float64Array;
  /** The same in nanoseconds, as they were read. */
  readonly dues: Float64Array;
  /** Of each walker. All places of a sliding window take from the same. */
  readonly turns: readonly Turn[];
  readonly end: number;
  /** A unit that has not started by then never does. */
  readonly close: number;
  /** What wakes those that wait for the pacer, by unit; none where there is no pacer. */
  readonly waiting: Map<number, () => void> | undefined;
}

/** Takes every n-th unit. */
export class Turn {
  #unit: number;
  readonly #step: number;

  constructor(first: number, step: number) {
    this.#unit = first;
    this.#step = step;
  }

  next(): number {
    const unit = this.#unit;
    this.#unit += this.#step;
    return unit;
  }
}

/** Reads the units of process `part` of `parts`: of a lead-in of so many nanoseconds, and of a part that follows it. */
export function readArrivals(
  { file, at, drain_ns: drainNs }: Arrivals,
  leadInNs: number,
  ns: number,
  [walkers, part, parts]: readonly [number, number, number],
  isPaced: boolean,
): readonly [Part, Part] {
  const content = readFileSync(file);
  const every = new Float64Array(content.buffer.slice(content.byteOffset, content.byteOffset + content.length));
  const own = every.filter((_, unit) => Math.floor(unit / walkers) % parts === part);
  const leadIn = own.filter((due) => due < leadInNs).length;
  const begin = at / NS_PER_MS - monotonicOrigin();
  const made = (dues: Float64Array, first: number, endNs: number): Part => ({
    times: dues.map((due) => begin + due / NS_PER_MS),
    dues,
    turns: Array.from({ length: walkers }, (_, walker) => new Turn((walker + first) % walkers, walkers)),
    end: begin + endNs / NS_PER_MS,
    close: begin + (endNs + drainNs) / NS_PER_MS,
    waiting: isPaced ? new Map() : undefined,
  });
  const toFirst = walkers - (leadIn % walkers);
  return [made(own.subarray(0, leadIn), 0, leadInNs), made(own.subarray(leadIn), toFirst, leadInNs + ns)];
}

/** When the clock of `performance` began, on CLOCK_MONOTONIC: of ten tries, the one that nothing interrupted. */
function monotonicOrigin(): number {
  let [shortest, origin] = [Number.POSITIVE_INFINITY, 0];
  for (let tries = 10; tries > 0; tries -= 1) {
    const before = performance.now();
    const monotonic = Number(process.hrtime.bigint()) / NS_PER_MS;
    const took = performance.now() - before;
    if (took < shortest) {
      [shortest, origin] = [took, monotonic - before - took / 2];
    }
  }
  return origin;
}

/** Lets others go on for a while, at most as long as this. */
function pause(leftMs: number): Promise<unknown> {
  return leftMs > TIMER_IS_LATE_MS ? setTimeout(leftMs - TIMER_IS_LATE_MS) : setImmediate();
}

/** Waits until then; not at all if that is over. */
export async function waitUntil(time: number): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) {
    await pause(left);
  }
}

/** Wakes those that wait, each when its unit is due: were they all to look at the clock, one would wait for the others. */
export async function pace({ times, waiting }: Part): Promise<void> {
  for (let reached = 0; waiting && reached < times.length; ) {
    await pause((times[reached] as number) - performance.now());
    for (const now = performance.now(); (times[reached] as number) <= now; reached += 1) {
      waiting.get(reached)?.();
      waiting.delete(reached);
    }
  }
}

/** Performs a walker's units, each when it is due, until the part is closed. Several calls may share a walker. */
export async function performDue(connected: Connected, walker: Walker, samples: Samples, part: Part, turn: Turn) {
  const { times, dues, close, waiting } = part;
  for (let unit = turn.next(); unit < times.length; unit = turn.next()) {
    const time = times[unit] as number;
    if (performance.now() < time) {
      await (waiting ? new Promise<void>((resolve) => waiting.set(unit, resolve)) : waitUntil(time));
    }
    const start = performance.now();
    if (start >= close) {
      return;
    }
    try {
      await connected.unit(walker);
      samples.addDue(performance.now() - start, start - time, dues[unit] as number);
      walker.units += 1;
    } catch (error) {
      samples.addDue(start - performance.now(), start - time, dues[unit] as number);
      samples.failed(error);
      await connected.settle?.();
    }
  }
}
