import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import process from "node:process";
import { after, before, type TestContext, test } from "node:test";
import { Alarm, MARGIN_MS, Shared } from "../runner/alarm.js";
import { type Part, performDue, readArrivals } from "../runner/arrivals.js";
import { originMs } from "../runner/clock.js";
import { type Connected, type Unit, Walker } from "../runner/loop.js";
import { Samples } from "../runner/samples.js";
import { writeDues } from "./files.js";

const MS = 1e6;
const MINUTE = 60e9;

const alarm = new Alarm();
before(() => alarm.start());
after(() => alarm.stop());

/** Nanoseconds of the clock. */
function now(): number {
  return Number(process.hrtime.bigint());
}

/** Returns the lead-in, with so many units, and the measured part that follows it. */
function parts(
  t: TestContext,
  dues: readonly number[],
  at: number,
  leadIn: number,
  durations: readonly number[],
  drain_ns = MINUTE,
) {
  const file = writeDues(dues);
  t.after(() => rmSync(file));
  const [leadInNs, ns] = durations as [number, number];
  return readArrivals({ file, at, lead_in: leadIn, drain_ns }, leadInNs, ns);
}

/** Performs a part with so many walkers, and places for each of them; returns the walkers. */
async function perform(connected: Connected, samples: Samples, part: Part, count = 1, places = 1) {
  const walkers = Array.from({ length: count }, () => new Walker(100));
  for (const [number, walker] of walkers.entries()) {
    walker.position = (100 / count) * number;
  }
  const every = walkers.flatMap((walker) =>
    Array.from({ length: places }, () => performDue(connected, walker, samples, part, alarm)),
  );
  await Promise.all(every);
  samples.end(true);
  return walkers;
}

interface Kept {
  readonly due: number;
  readonly lag: number;
  readonly latency: number;
}

function unitsOf(samples: Samples): readonly Kept[] {
  const { due, lags, latencies } = samples.take();
  const [dues, lagOf, latencyOf] = [due, lags, latencies].map((column) => {
    const bytes = Buffer.from(column ?? "", "base64");
    return Array.from({ length: bytes.length / 8 }, (_, index) => bytes.readDoubleLE(8 * index));
  }) as [number[], number[], number[]];
  assert.deepEqual([lagOf.length, latencyOf.length], [dues.length, dues.length]);
  return dues.map((one, index) => ({ due: one, lag: lagOf[index] as number, latency: latencyOf[index] as number }));
}

function open(room = 100): Samples {
  return new Samples(room, undefined, true);
}

test("a unit starts when it is due, and its times add up", async (t) => {
  const called: number[] = [];
  const unit: Unit = async () => called.push(now());
  const samples = open();
  const at = now() + 5 * MS;
  const [, part] = parts(t, [0, MS, 1.5 * MS, 6 * MS, 6 * MS], at, 1, [MS, 9 * MS]);
  const [walker] = await perform({ unit }, samples, part);
  assert.equal(walker?.units, 4);
  const units = unitsOf(samples);
  assert.deepEqual(
    units.map(({ due }) => due),
    [MS, 1.5 * MS, 6 * MS, 6 * MS],
  );
  // The clocks of `performance` and `process` are read one after the other.
  const apart = 0.5 * MS;
  for (const [index, { due, lag, latency }] of units.entries()) {
    const moment = (called[index] as number) - at - due;
    assert.ok(lag >= 0 && lag <= moment + apart && moment - apart <= lag + latency);
  }
});

test("units of several walkers and places are late, start at once, and none is left out", async (t) => {
  const dues = Array.from({ length: 20 }, (_, index) => 0.25 * MS * index);
  const taken: number[] = [];
  const unit: Unit = async (walker) => taken.push(walker.next());
  const samples = open();
  const [, part] = parts(t, dues, now() - 1000 * MS, 4, [MS, 4 * MS]);
  const walkers = await perform({ unit }, samples, part, 2, 3);
  assert.equal(
    walkers.reduce((sum, { units }) => sum + units, 0),
    16,
  );
  const units = unitsOf(samples);
  assert.deepEqual(
    units.map(({ due }) => due).sort((a, b) => a - b),
    dues.slice(4),
  );
  assert.ok(units.every(({ due, lag }) => lag + due >= 999 * MS));
  const own = walkers.flatMap(({ units }, number) => Array.from({ length: units }, (_, index) => 50 * number + index));
  assert.deepEqual(
    taken.sort((a, b) => a - b),
    own,
  );
});

test("while one walker is busy, the others perform what is due", async (t) => {
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
  const [part] = parts(t, new Array(10).fill(0), now(), 10, [MS, 0]);
  const walkers = await perform({ unit }, open(), part, 2);
  assert.deepEqual(
    walkers.map(({ units }) => units),
    [1, 9],
  );
});

test("the alarm wakes places that wait, none before its unit is due", async (t) => {
  const dues = Array.from({ length: 12 }, (_, index) => 0.5 * MS * index);
  const taken: number[] = [];
  const unit: Unit = async (walker) => taken.push(walker.next());
  const samples = open();
  const [part] = parts(t, dues, now() + 2 * MS, 12, [6 * MS, 0]);
  await perform({ unit }, samples, part, 1, 4);
  const units = unitsOf(samples);
  assert.deepEqual(
    units.map(({ due }) => due).sort((a, b) => a - b),
    dues,
  );
  assert.ok(units.every(({ lag }) => lag >= 0));
  assert.deepEqual(
    taken,
    dues.map((_, index) => index),
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

test("the first units are of the lead-in, the others of the measured part", (t) => {
  const [leadIn, measured] = parts(t, [1, 4, 7, 10], 0, 2, [7, 5]);
  assert.deepEqual(
    [[...leadIn.dues], [...measured.dues]],
    [
      [1, 4],
      [7, 10],
    ],
  );
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

test("what has not started when the part is closed never does, and takes no command", async (t) => {
  const unit: Unit = async (walker) => walker.next();
  const samples = open();
  const [leadIn] = parts(t, [0, 0], now() - 10 * MS, 2, [MS, MS], MS);
  const [walker] = await perform({ unit }, samples, leadIn);
  assert.deepEqual([walker?.units, walker?.position], [0, 0]);
  assert.deepEqual(samples.take(), { latencies: "", due: "", lags: "", counts: [0], dropped: 0 });
});

test("a failed unit is counted as an error and kept with a negative latency", async (t) => {
  const unit: Unit = (walker) =>
    walker.next() === 0 ? Promise.reject(new Error("reset by peer")) : Promise.resolve(null);
  const samples = open();
  const [part] = parts(t, [0, 0, 0], now(), 3, [MS, 0]);
  const [walker] = await perform({ unit }, samples, part);
  assert.deepEqual([walker?.units, samples.failures.errors], [2, { Error: 1 }]);
  assert.deepEqual(
    unitsOf(samples).map(({ latency }) => latency < 0),
    [true, false, false],
  );
});

test("units that do not fit are counted", async (t) => {
  const samples = open(2);
  const [part] = parts(t, [0, 0, 0], now(), 3, [MS, 0]);
  const [walker] = await perform({ unit: async () => undefined }, samples, part);
  const { counts, dropped } = samples.take();
  assert.deepEqual([walker?.units, counts, dropped], [3, [2], 1]);
});
