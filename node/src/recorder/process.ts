import process from "node:process";

const NS_PER_US = 1e3;
const BYTES_PER_KIB = 1024;

/** CPU time of this process, all threads, in nanoseconds. */
export interface CpuTime {
  readonly userNs: number;
  readonly systemNs: number;
}

/** CPU time so far. */
export function cpuTime(): CpuTime {
  const { user, system } = process.cpuUsage();
  return { userNs: user * NS_PER_US, systemNs: system * NS_PER_US };
}

/** CPU time between two readings. */
export function cpuBetween(begin: CpuTime, end: CpuTime): CpuTime {
  return { userNs: end.userNs - begin.userNs, systemNs: end.systemNs - begin.systemNs };
}

/** Peak resident set of this process. */
export function peakMemoryBytes(): number {
  return process.resourceUsage().maxRSS * BYTES_PER_KIB;
}
