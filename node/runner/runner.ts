import { performance } from "node:perf_hooks";
import process from "node:process";
import type { Adapter } from "./adapter.js";
import type { CacheCounts, Order, Trial, Work } from "./contract.js";
import { bare, Loop } from "./loop.js";
import { encoded } from "./replies.js";
import { Samples } from "./samples.js";
import { type Connected, connect } from "./units.js";
import { type Commands, Walker, type Workload } from "./workload.js";

const NS_PER_US = 1e3;
const NS_PER_MS = 1e6;
const LONGEST_MESSAGE = 500;

/** One trial, from its connections to the end of the input. */
export class Runner {
  readonly #trial: Trial;
  readonly #adapter: Adapter;
  readonly #commands: Commands;
  readonly #samples: Samples;
  readonly #walkers: readonly Walker[];
  #connected: Connected | undefined;
  #loops: readonly Loop[] = [];
  #errors = new Map<string, number>();
  #firstError: string | null = null;
  #cached: CacheCounts | undefined;

  constructor(trial: Trial, adapter: Adapter, workload: Workload) {
    const count = trial.shape.threads ?? 1;
    this.#trial = trial;
    this.#adapter = adapter;
    this.#commands = workload.commands(adapter, trial.client);
    this.#samples = new Samples(trial.samples);
    this.#walkers = Array.from(
      { length: count },
      (_, index) => new Walker(workload.length, trial.part * count + index, trial.parts * count),
    );
  }

  async obey(order: Order): Promise<object> {
    if (order.echo) {
      return { replies: await this.#echo(order.echo.commands, order.echo.bytes) };
    }
    if (order.work) {
      return { worked: await this.#work(order.work) };
    }
    if (order.bare) {
      return { bared: await this.#bare(order.bare.first, order.bare.ns) };
    }
    return order.samples ? { samples: this.#samples.take() } : await this.#connect();
  }

  close(): void {
    this.#connected?.close();
  }

  async #connect(): Promise<object> {
    // A library that cannot connect would keep trying for ever: until the trial is connected, its first error is final.
    const connected = await new Promise<Connected>((resolve, reject) => {
      connect(this.#trial, this.#adapter, this.#commands, reject).then(resolve, reject);
    });
    const { scenario, shape } = this.#trial;
    const perWalker = shape.window === "sliding" ? (shape.depth ?? 1) : 1;
    const onFailure = (error: unknown) => {
      this.#failed(error);
      return connected.settle();
    };
    this.#loops = this.#walkers.flatMap((walker) =>
      Array.from({ length: perWalker }, () => new Loop(walker, connected.unit, this.#samples, onFailure)),
    );
    this.#connected = connected;
    this.#cached = scenario === "caching" ? this.#adapter.cache?.() : undefined;
    return { connected: {} };
  }

  /** Errors of the program end it; all others are the library's, or its socket's. */
  #failed(error: unknown): void {
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) {
      throw error;
    }
    const { code } = error as NodeJS.ErrnoException;
    const kind = error.constructor === Error && code ? code : error.constructor.name;
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
    this.#firstError ??= (this.#adapter.explain?.(error) ?? error.message).slice(0, LONGEST_MESSAGE);
  }

  async #echo(commands: number, bytes: number): Promise<readonly unknown[]> {
    const walker = this.#walkers[0] as Walker;
    const isOne = this.#trial.shape.depth === undefined || this.#trial.shape.window === "sliding";
    const replies: unknown[] = [];
    walker.goTo(0);
    for (let length = 0; replies.length < commands && length < bytes; ) {
      const reply = await this.#unit(walker);
      for (const one of isOne ? [reply] : (reply as unknown[])) {
        replies.push(encoded(one));
        length += JSON.stringify(replies.at(-1)).length;
      }
    }
    this.#cached = this.#cached && this.#adapter.cache?.();
    return replies;
  }

  async #work({ first, lead_in_ns, ns, keep }: Work): Promise<object> {
    this.#errors.clear();
    this.#firstError = null;
    const before = this.#cached;
    for (const walker of this.#walkers) {
      walker.goTo(first);
    }
    const started = moment();
    const leadIn = await this.#perform(lead_in_ns, false);
    const measuredFrom = moment();
    const measured = await this.#perform(ns, keep);
    const ended = moment();
    this.#cached = before && this.#adapter.cache?.();
    return {
      started,
      measured_from: measuredFrom,
      ended,
      lead_in: leadIn,
      measured,
      errors: Object.fromEntries(this.#errors),
      first_error: this.#firstError,
      cache: before && this.#cached ? between(before, this.#cached) : null,
    };
  }

  /** Works for so long, and completes what is in flight; returns the units of each walker. */
  async #perform(ns: number, keep: boolean): Promise<readonly number[]> {
    const before = this.#loops.map(({ units }) => units);
    if (ns > 0) {
      const begin = performance.now();
      await Promise.all(this.#loops.map((loop) => loop.perform(begin, begin + ns / NS_PER_MS)));
      this.#samples.end(keep);
    }
    return this.#walkers.map((walker) =>
      this.#loops.reduce(
        (sum, loop, index) => sum + (loop.walker === walker ? loop.units - (before[index] as number) : 0),
        0,
      ),
    );
  }

  async #bare(first: number, ns: number): Promise<object> {
    const walker = this.#walkers[0] as Walker;
    walker.goTo(first);
    const started = moment();
    const units = await bare(this.#unit, walker, performance.now() + ns / NS_PER_MS);
    return { units, started, ended: moment() };
  }

  get #unit() {
    return (this.#connected as Connected).unit;
  }
}

/** The clock, user and system CPU of this process, in nanoseconds. */
function moment(): readonly [number, number, number] {
  const { user, system } = process.cpuUsage();
  return [Number(process.hrtime.bigint()), user * NS_PER_US, system * NS_PER_US];
}

function between(before: CacheCounts, after: CacheCounts): CacheCounts {
  const less = (one: number | null, other: number | null) => (one === null || other === null ? null : one - other);
  return {
    hits: less(after.hits, before.hits),
    misses: less(after.misses, before.misses),
    invalidations: less(after.invalidations, before.invalidations),
  };
}
