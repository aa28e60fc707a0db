import { readFileSync } from "node:fs";
import process from "node:process";
import type { Moment } from "../contract/events.js";

const NS_PER_US = 1e3;
const BYTES_PER_KIB = 1024;
const PEAK = /^VmHWM:\s*(\d+) kB$/m;

/** Now, with the clock read first: where a stretch begins. */
export function beginning(): Moment {
  const at = process.hrtime.bigint();
  const { user, system } = process.cpuUsage();
  return { at_ns: at, cpu_user_ns: user * NS_PER_US, cpu_system_ns: system * NS_PER_US };
}

/** Now, with the CPU read first: where the last stretch ends. */
export function ending(): Moment {
  const { user, system } = process.cpuUsage();
  return { at_ns: process.hrtime.bigint(), cpu_user_ns: user * NS_PER_US, cpu_system_ns: system * NS_PER_US };
}

/** Peak resident set of this process. What `getrusage` says starts with the parent's, so it is only the last resort. */
export function peakMemoryBytes(): number {
  return (peakOfProc() ?? process.resourceUsage().maxRSS) * BYTES_PER_KIB;
}

function peakOfProc(): number | undefined {
  try {
    const [, peak] = PEAK.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    return peak === undefined ? undefined : Number(peak);
  } catch {
    return undefined;
  }
}
