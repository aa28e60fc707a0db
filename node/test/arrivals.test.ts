import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import process from "node:process";
import { type TestContext, test } from "node:test";
import { type Arrivals, type Part, pace, performDue, readArrivals, type Turn } from "../runner/arrivals.js";
import { type Connected, type Unit, Walker } from "../runner/loop.js";
import { Samples } from "../runner/samples.js";
import { writeArrivals } from "./files.js";

const MS = 1e6;
const MINUTE = 60e9;

/** Nanoseconds of the clock. */
function now(): number {
  return Number(process.hrtime.bigint());
}

function arrivals(t: TestContext, dues: readonly number[], at: number, drain_ns = MINUTE): Arrivals {
  const file = writeArrivals(dues);
  t.after(() => rmSync(file));
  return { file, at, drain_ns };
}

/** Performs a part with so many places for each of its walkers; returns the walkers. */
async function perform(connected: Connected, samples: Samples, part: Part, places = 1): Promise<readonly Walker[]> {
  const walkers = part.turns.map((_, number) => new Walker(100, number, part.turns.length));
  for (const walker of walkers) {
    walker.goTo(0);
  }
  const every = walkers.flatMap((walker, index) =>
    Array.from({ length: places }, () => performDue(connected, walker, samples, part, part.turns[index] as Turn)),
  );
  await Promise.all([...every, pace(part)]);
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
  const [, part] = readArrivals(arrivals(t, [0, MS, 1.5 * MS, 6 * MS, 6 * MS], at), MS, 9 * MS, [1, 0, 1], false);
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
  const [, part] = readArrivals(arrivals(t, dues, now() - 1000 * MS), MS, 4 * MS, [2, 0, 1], true);
  const walkers = await perform({ unit }, samples, part, 3);
  assert.deepEqual(
    walkers.map(({ units }) => units),
    [8, 8],
  );
  const units = unitsOf(samples);
  assert.deepEqual(
    units.map(({ due }) => due).sort((a, b) => a - b),
    dues.slice(4),
  );
  assert.ok(units.every(({ due, lag }) => lag + due >= 999 * MS));
  assert.deepEqual(
    taken.sort((a, b) => a - b),
    [0, 1, 2, 3, 4, 5, 6, 7, 50, 51, 52, 53, 54, 55, 56, 57],
  );
});

test("the pacer wakes places that wait, in the order in which their units are due", async (t) => {
  const dues = Array.from({ length: 12 }, (_, index) => 0.5 * MS * index);
  const taken: number[] = [];
  const unit: Unit = async (walker) => taken.push(walker.next());
  const samples = open();
  const [part] = readArrivals(arrivals(t, dues, now() + 2 * MS), 6 * MS, 0, [1, 0, 1], true);
  await perform({ unit }, samples, part, 4);
  assert.deepEqual(
    unitsOf(samples).map(({ due }) => due),
    dues,
  );
  assert.deepEqual(
    taken,
    dues.map((_, index) => index),
  );
});

test("a walker has every n-th unit of all processes, across both parts", (t) => {
  const given = arrivals(t, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 0);
  const [leadIn, measured] = readArrivals(given, 7, 5, [2, 1, 2], true);
  const takenBy = ({ dues, turns }: Part) =>
    turns.map((turn) => {
      const taken: number[] = [];
      for (let unit = turn.next(); unit < dues.length; unit = turn.next()) {
        taken.push(dues[unit] as number);
      }
      return taken;
    });
  assert.deepEqual(takenBy(leadIn), [[2, 6], [3]]);
  assert.deepEqual(takenBy(measured), [[10], [7, 11]]);
});

test("what has not started when the part is closed never does, and takes no command", async (t) => {
  const unit: Unit = async (walker) => walker.next();
  const samples = open();
  const [leadIn] = readArrivals(arrivals(t, [0, 0], now() - 10 * MS, MS), MS, MS, [1, 0, 1], false);
  const [walker] = await perform({ unit }, samples, leadIn);
  assert.deepEqual([walker?.units, walker?.position], [0, 0]);
  assert.deepEqual(samples.take(), { latencies: "", due: "", lags: "", counts: [0], dropped: 0 });
});

test("a failed unit is counted as an error and kept with a negative latency", async (t) => {
  const unit: Unit = (walker) =>
    walker.next() === 0 ? Promise.reject(new Error("reset by peer")) : Promise.resolve(null);
  const samples = open();
  const [part] = readArrivals(arrivals(t, [0, 0, 0], now()), MS, 0, [1, 0, 1], false);
  const [walker] = await perform({ unit }, samples, part);
  assert.deepEqual([walker?.units, samples.failures.errors], [2, { Error: 1 }]);
  assert.deepEqual(
    unitsOf(samples).map(({ latency }) => latency < 0),
    [true, false, false],
  );
});

test("units that do not fit are counted", async (t) => {
  const samples = open(2);
  const [part] = readArrivals(arrivals(t, [0, 0, 0], now()), MS, 0, [1, 0, 1], false);
  const [walker] = await perform({ unit: async () => undefined }, samples, part);
  const { counts, dropped } = samples.take();
  assert.deepEqual([walker?.units, counts, dropped], [3, [2], 1]);
});
