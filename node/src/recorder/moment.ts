import process from "node:process";
import type { Moment } from "../contract/events.js";

const NS_PER_US = 1e3;

/** Now, with the clock read first: where a stretch begins. */
export function openingMoment(): Moment {
  const at = process.hrtime.bigint();
  const { user, system } = process.cpuUsage();
  return { at_ns: at, cpu_user_ns: user * NS_PER_US, cpu_system_ns: system * NS_PER_US };
}

/** Now, with the CPU read first: where the last stretch ends. */
export function closingMoment(): Moment {
  const { user, system } = process.cpuUsage();
  return { at_ns: process.hrtime.bigint(), cpu_user_ns: user * NS_PER_US, cpu_system_ns: system * NS_PER_US };
}
