/** A thread that sleeps until the time that the main thread has set, says so, and waits for the next one. */
import { parentPort, workerData } from "node:worker_threads";
import { Shared } from "./alarm.js";
import { monotonicMs } from "./clock.js";

const { count, nothing, time } = new Shared(workerData as SharedArrayBuffer);
for (let seen = 0; ; ) {
  Atomics.wait(count, 0, seen);
  seen = Atomics.load(count, 0);
  const left = (time[0] as number) - monotonicMs();
  if (left > 0) {
    Atomics.wait(nothing, 0, 0, left);
  }
  parentPort?.postMessage(null);
}
