import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { readDues } from "./arrivals.js";
import type { Connected, Walker } from "./loop.js";
import type { Samples } from "./samples.js";

const NS_PER_MS = 1e6;
const GRACE_NS = 100e6;
/** Whoever waits looks so often whether it is over. */
const MOST_ASLEEP_NS = 50e6;

/** What to do until it is over. */
export interface KeepGoing {
  /** Where each walker begins. */
  readonly first: readonly number[];
  readonly due: { readonly file: string; readonly at: number };
  readonly log: string;
  readonly enough: string;
  readonly until: number;
}

/** A file of JSON lines: one is there when its `write` has returned, whatever becomes of this process. */
export class Log {
  #descriptor: number | undefined;

  constructor(path: string) {
    this.#descriptor = openSync(path, "a");
  }

  /** Appends a line, unless the log is closed. */
  write(line: object): void {
    if (this.#descriptor !== undefined) {
      writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
    }
  }

  /** Says that the client is closed, and how that failed if it did; whoever hung in it until now adds nothing. */
  close(failure: object): void {
    this.write({ closed: now(), ...failure });
    if (this.#descriptor !== undefined) {
      closeSync(this.#descriptor);
    }
    this.#descriptor = undefined;
  }
}

/** An application that keeps going, whatever becomes of its server: units when they are due, in a log as they happen. */
export class Application {
  readonly #order: KeepGoing;
  readonly #log: Log;
  readonly #samples: Samples;
  readonly #encode: (reply: unknown) => unknown;
  /** When each unit is due. */
  readonly #times: Float64Array;
  /** The first unit that nobody has taken yet. */
  #next = 0;

  constructor(order: KeepGoing, log: Log, samples: Samples, encode: (reply: unknown) => unknown) {
    this.#order = order;
    this.#log = log;
    this.#samples = samples;
    this.#encode = encode;
    this.#times = readDues(order.due.file).map((due) => order.due.at + due);
  }

  /** Performs units with the next commands of a walker, each when it is due, until it is over. */
  async perform(connected: Connected, walker: Walker, number: number): Promise<void> {
    while (this.#next < this.#times.length) {
      const unit = this.#next;
      this.#next += 1;
      await this.#sleepUntil(this.#times[unit] as number);
      if (this.#isOver()) {
        return;
      }
      this.#log.write({ unit, walker: number, began: now() });
      try {
        const reply = await connected.unit(walker);
        this.#log.write({ unit, walker: number, ended: now(), reply: this.#encode(reply) });
      } catch (error) {
        this.#log.write({ unit, walker: number, ended: now(), ...this.#samples.told(error) });
      }
    }
  }

  /** Resolves when it has been over for so long that nobody is waited for any more. */
  async overForLong(): Promise<void> {
    await setTimeout(Math.max(0, this.#order.until + GRACE_NS - now()) / NS_PER_MS);
  }

  async #sleepUntil(time: number): Promise<void> {
    for (let left = time - now(); left > 0 && !this.#isOver(); left = time - now()) {
      await setTimeout(Math.ceil(Math.min(left, MOST_ASLEEP_NS) / NS_PER_MS));
    }
  }

  #isOver(): boolean {
    return now() >= this.#order.until || existsSync(this.#order.enough);
  }
}

/** CLOCK_MONOTONIC in nanoseconds. */
function now(): number {
  return Number(process.hrtime.bigint());
}
