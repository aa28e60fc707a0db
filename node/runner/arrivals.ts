import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { type Alarm, MARGIN_MS } from "./alarm.js";
import { originMs } from "./clock.js";
import type { Connected, Walker } from "./loop.js";
import type { Samples } from "./samples.js";

const NS_PER_MS = 1e6;

/** Of `work`: what makes the loop an open one. */
export interface Arrivals {
  readonly file: string;
  readonly at: number;
  /** How many units, the first ones, are of the lead-in. */
  readonly lead_in: number;
  readonly drain_ns: number;
  /** How long before a unit is due whoever waits for it reads the clock; absent: the usual time. */
  readonly awake_ns?: number;
}

/** The units of the lead-in or of the measured part, with times in milliseconds of the clock. */
export interface Part {
  /** When each of this process's units is due. */
  readonly times: Float64Array;
  /** The same in nanoseconds, as they were read. */
  readonly dues: Float64Array;
  /** The first unit that nobody has taken yet: whoever is idle takes it. */
  next: number;
  readonly end: number;
  /** A unit that has not started by then never does. */
  readonly close: number;
  readonly awake: number;
}

/** Reads when units are due, in nanoseconds. */
export function readDues(file: string): Float64Array {
  const content = readFileSync(file);
  const dues = new BigInt64Array(content.buffer.slice(content.byteOffset, content.byteOffset + content.length));
  return Float64Array.from(dues, Number);
}

/** Reads the units of a lead-in of so many nanoseconds, and of a part that follows it. */
export function readArrivals(
  { file, at, lead_in: leadIn, drain_ns: drainNs, awake_ns: awakeNs }: Arrivals,
  leadInNs: number,
  ns: number,
): readonly [Part, Part] {
  const own = readDues(file);
  const begin = at / NS_PER_MS - originMs();
  const made = (dues: Float64Array, endNs: number): Part => ({
    times: dues.map((due) => begin + due / NS_PER_MS),
    dues,
    next: 0,
    end: begin + endNs / NS_PER_MS,
    close: begin + (endNs + drainNs) / NS_PER_MS,
    awake: awakeNs === undefined ? MARGIN_MS : awakeNs / NS_PER_MS,
  });
  return [made(own.subarray(0, leadIn), leadInNs), made(own.subarray(leadIn), leadInNs + ns)];
}

/** Performs units, each when it is due, until there are no more or the part is closed. Several calls share a part. */
export async function performDue(connected: Connected, walker: Walker, samples: Samples, part: Part, alarm: Alarm) {
  const { times, dues, close } = part;
  alarm.awakeMs = part.awake;
  while (part.next < times.length) {
    const unit = part.next;
    part.next = unit + 1;
    const time = times[unit] as number;
    if (performance.now() < time) {
      await alarm.at(time);
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
