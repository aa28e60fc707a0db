import { performance } from "node:perf_hooks";
import process from "node:process";
import type { Adapter, Trial } from "./adapter.js";
import { Alarm } from "./alarm.js";
import { type Arrivals, type Part, performDue, readArrivals } from "./arrivals.js";
import { Application, type KeepGoing, Log } from "./keep_going.js";
import { type Connected, perform, Walker } from "./loop.js";
import { Samples } from "./samples.js";
import { type Connections, connect } from "./units.js";
import { readCommands, type SendNumber } from "./workload.js";

const NS_PER_US = 1e3;
const NS_PER_MS = 1e6;

/** What to do in a slice. */
interface Work {
  /** Where each walker begins. */
  readonly first: readonly number[];
  readonly lead_in_ns: number;
  readonly ns: number;
  readonly keep: boolean;
  readonly arrivals?: Arrivals;
}

/** A walker, and what it works with. */
interface Place {
  readonly walker: Walker;
  readonly connected: Connected;
}

/** One trial. The lines that follow it are methods, by their names. */
export class Runner {
  readonly #trial: Trial;
  readonly #adapter: Adapter;
  readonly #send: SendNumber;
  readonly #samples: Samples;
  readonly #walkers: readonly Walker[];
  /** One for each unit that may be in flight. */
  #places: readonly Place[] = [];
  #connections: Connections | undefined;
  /** In an open loop. */
  #alarm: Alarm | undefined;
  /** Of an application that keeps going. */
  #log: Log | undefined;

  constructor(trial: Trial, adapter: Adapter) {
    const { scenario, shape } = trial;
    const count = (scenario === "batching" ? shape.connections : shape.threads) ?? 1;
    this.#trial = trial;
    this.#adapter = adapter;
    const { length, send } = readCommands(trial.workload, adapter);
    this.#send = send;
    this.#samples = new Samples(trial.samples, adapter.explain, trial.open);
    this.#walkers = Array.from({ length: count }, () => new Walker(length));
  }

  async connect(): Promise<object> {
    // A library that cannot connect would keep trying for ever: until the trial is connected, its first error is final.
    const { shape, open } = this.#trial;
    const connections = await new Promise<Connections>((resolve, reject) => {
      connect(this.#trial, this.#adapter, this.#send, reject).then(resolve, reject);
    });
    this.#connections = connections;
    const { connected } = connections;
    const perWalker = shape.window === "sliding" ? (shape.depth ?? 1) : 1;
    this.#places = this.#walkers.flatMap((walker, index) =>
      new Array<Place>(perWalker).fill({ walker, connected: connected[index % connected.length] as Connected }),
    );
    if (open) {
      this.#alarm = new Alarm();
      await this.#alarm.start();
    }
    return { connected: {} };
  }

  /** Ends what the trial has: connections, and the thread that waits. */
  async close(): Promise<void> {
    await (this.#log ? this.#closeLogged(this.#log) : this.#connections?.close());
    await this.#alarm?.stop();
  }

  /** Ends the trial where the process ends: an application that keeps going closes its client first. */
  async end(): Promise<void> {
    if (this.#log) {
      await this.#closeLogged(this.#log);
    }
  }

  async #closeLogged(log: Log): Promise<void> {
    try {
      await this.#connections?.close();
      log.close({});
    } catch (error) {
      log.close(this.#samples.told(error));
    }
  }

  async echo({ first, commands, bytes }: { first: number; commands: number; bytes: number }): Promise<object> {
    const { walker, connected } = this.#places[0] as Place;
    const replies: unknown[] = [];
    walker.position = first;
    for (let length = 0; replies.length < commands && length < bytes; ) {
      const returned = await connected.unit(walker);
      const some = connected.replies?.(returned) ?? [returned];
      replies.push(...some.map(this.#encode));
      length += JSON.stringify(replies.slice(-some.length)).length;
    }
    this.#adapter.cache?.();
    return { replies };
  }

  readonly #encode = (reply: unknown): unknown => encoded(this.#adapter.plain ? this.#adapter.plain(reply) : reply);

  async keep_going(order: KeepGoing): Promise<object> {
    this.#log = new Log(order.log);
    const application = new Application(order, this.#log, this.#samples, this.#encode);
    this.#goTo(order.first);
    const going = this.#places.map(({ connected, walker }, index) => application.perform(connected, walker, index));
    await Promise.race([Promise.all(going), application.overForLong()]);
    return { went: {} };
  }

  async work({ first, lead_in_ns, ns, keep, arrivals }: Work): Promise<object> {
    this.#samples.failures = { errors: {}, first_error: null };
    this.#goTo(first);
    const [leadInDue, measuredDue] = arrivals ? readArrivals(arrivals, lead_in_ns, ns) : [];
    const started = moment();
    const leadIn = await this.#perform(lead_in_ns, false, leadInDue);
    const measuredFrom = moment();
    const measured = await this.#perform(ns, keep, measuredDue);
    const ended = moment();
    const units = { lead_in: leadIn, measured, ...this.#samples.failures, cache: this.#adapter.cache?.() ?? null };
    return { worked: { started, measured_from: measuredFrom, ended, ...units } };
  }

  #goTo(firsts: readonly number[]): void {
    for (const [index, walker] of this.#walkers.entries()) {
      walker.position = firsts[index] as number;
    }
  }

  /** Works for so long, and completes what is in flight; returns the units of each walker. */
  async #perform(ns: number, keep: boolean, due?: Part): Promise<readonly number[]> {
    for (const walker of this.#walkers) {
      walker.units = 0;
    }
    if (due && this.#alarm) {
      await this.#performDue(due, this.#alarm);
      this.#samples.end(keep);
    } else if (ns > 0) {
      const until = performance.now() + ns / NS_PER_MS;
      await Promise.all(this.#places.map((place) => perform(place.connected, place.walker, this.#samples, until)));
      this.#samples.end(keep);
    }
    return this.#walkers.map(({ units }) => units);
  }

  /** Performs units when they are due, for the whole of a part. */
  async #performDue(part: Part, alarm: Alarm): Promise<void> {
    await Promise.all(
      this.#places.map(({ connected, walker }) => performDue(connected, walker, this.#samples, part, alarm)),
    );
    if (performance.now() < part.end) {
      await alarm.at(part.end);
    }
  }

  samples(): object {
    return { samples: this.#samples.take() };
  }

  /** A loop as a user would write it, without latencies and failures: what the measured loop is held against. */
  async bare({ first, ns }: { first: number; ns: number }): Promise<object> {
    const { walker, connected } = this.#places[0] as Place;
    const { unit } = connected;
    walker.position = first;
    const started = moment();
    const until = performance.now() + ns / NS_PER_MS;
    let units = 0;
    do {
      await unit(walker);
      units += 1;
    } while (performance.now() < until);
    return { bared: { units, started, ended: moment() } };
  }
}

/** The clock, user and system CPU of this process, in nanoseconds. */
function moment(): readonly [number, number, number] {
  const { user, system } = process.cpuUsage();
  return [Number(process.hrtime.bigint()), user * NS_PER_US, system * NS_PER_US];
}

/** A reply as the contract has it in JSON. */
export function encoded(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) {
    return { bytes: reply.toString("base64") };
  }
  if (Array.isArray(reply)) {
    return reply.map(encoded);
  }
  if (typeof reply === "object" && reply !== null) {
    const pairs = reply instanceof Map ? [...reply] : Object.entries(reply);
    return { map: pairs.map((pair) => pair.map(encoded)) };
  }
  return reply ?? null;
}
