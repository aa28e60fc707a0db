import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import process from "node:process";
import { after, before, test } from "node:test";
import { Alarm, MARGIN_MS, Shared } from "../runner/alarm.js";
import { performDue, readArrivals } from "../runner/arrivals.js";
import { originMs } from "../runner/clock.js";
import { type Unit, Walker } from "../runner/loop.js";
import { Samples } from "../runner/samples.js";
import { writeDues } from "./files.js";

const alarm = new Alarm();
before(() => alarm.start());
after(() => alarm.stop());

test("while one walker is busy, the others perform what is due", async () => {
  let left = 9;
  let isFirst = true;
  let release = () => undefined as unknown;
  const unit: Unit = () => {
    if (isFirst) {
      isFirst = false;
      return new Promise((resolve) => {
        release = () => resolve(null);
      });
    }
    left -= 1;
    return Promise.resolve(left === 0 ? release() : null);
  };
  const file = writeDues(new Array(10).fill(0));
  const at = Number(process.hrtime.bigint());
  const [part] = readArrivals({ file, at, lead_in: 10, drain_ns: 60e9 }, 1e6, 0);
  rmSync(file);
  const [walkers, samples] = [[new Walker(100), new Walker(100)], new Samples(100, undefined, true)];
  await Promise.all(walkers.map((walker) => performDue({ unit }, walker, samples, part, alarm)));
  assert.deepEqual(
    walkers.map(({ units }) => units),
    [1, 9],
  );
});

test("the sleeper sleeps for one unit at a time, and only once the unit before it is due", async (t) => {
  const origin = originMs();
  const notify = Atomics.notify.bind(Atomics);
  const times = [20, 30, 40].map((after) => performance.now() + after);
  t.mock.method(Atomics, "notify", (count: Int32Array, index: number) => {
    const until = (new Shared(count.buffer as SharedArrayBuffer).time[0] as number) - origin + MARGIN_MS;
    const unit = times.findIndex((time) => Math.abs(time - until) < 5);
    assert.ok(performance.now() >= (times[unit - 1] ?? 0));
    return notify(count, index);
  });
  await Promise.all(times.map((time) => alarm.at(time)));
});

test("nobody is woken early, and those whose time is over are woken at once", async () => {
  const begin = performance.now();
  const wakes = await Promise.all(
    [-1, 0, 0.01, 3, 3.005].map(async (after) => {
      await alarm.at(begin + after);
      return performance.now() - begin - after;
    }),
  );
  assert.ok(wakes.every((late) => late >= 0));
});
