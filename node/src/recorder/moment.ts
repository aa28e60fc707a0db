import process from "node:process";
import type { Moment } from "../contract/events.js";

const NS_PER_US = 1e3;

/** Opens a part of a slice: the clock is read before CPU. */
export function openingMoment(): Moment {
  const at = process.hrtime.bigint();
  const { user, system } = process.cpuUsage();
  return { at_ns: at, cpu_user_ns: user * NS_PER_US, cpu_system_ns: system * NS_PER_US };
}

/** Closes a slice: CPU is read before the clock, so the CPU counted was used within the time counted. */
export function closingMoment(): Moment {
  const { user, system } = process.cpuUsage();
  return { at_ns: process.hrtime.bigint(), cpu_user_ns: user * NS_PER_US, cpu_system_ns: system * NS_PER_US };
}
