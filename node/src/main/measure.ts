import { performance } from "node:perf_hooks";
import { HealthRecorder } from "../recorder/health.js";
import { type CpuTime, cpuBetween, cpuTime } from "../recorder/process.js";
import { type Loops, perform } from "../scenarios/loop.js";
import { type OnProgress, Window } from "../scenarios/window.js";

/** What a window gave. */
export interface Measured {
  readonly window: Window;
  readonly elapsedMs: number;
  readonly cpu: CpuTime;
  readonly health: Readonly<Record<string, number>>;
}

/** The measured window: from the clock's first reading to the completion of the last unit. */
export async function measure(
  loops: Loops,
  seconds: number,
  onWindow: (window: Window) => void,
  onProgress: OnProgress,
): Promise<Measured> {
  const { layout } = loops;
  const health = new HealthRecorder();
  health.start();
  const cpuAtBegin = cpuTime();
  const window = new Window(performance.now(), seconds, layout.walkers, layout.commandsPerUnit, onProgress);
  onWindow(window);
  const end = await perform(loops, window);
  const cpu = cpuBetween(cpuAtBegin, cpuTime());
  return { window, cpu, elapsedMs: end - window.begin, health: await health.stop(window.begin, end) };
}
