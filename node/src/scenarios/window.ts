import type { Half } from "../contract/events.js";
import { MS_PER_S, nanoseconds } from "../recorder/clock.js";

/** Hears how far the window is. */
export type OnProgress = (elapsedNs: number, operations: number) => void;

/** The time in which units are performed, and what each walker has done in it. */
export class Window {
  readonly begin: number;
  readonly end: number;
  readonly halfway: number;
  readonly meters: readonly Meter[];
  readonly #commandsPerUnit: number;
  readonly #onProgress: OnProgress | undefined;
  #nextProgress: number;

  constructor(begin: number, seconds: number, walkers: number, commandsPerUnit: number, onProgress?: OnProgress) {
    this.begin = begin;
    this.end = begin + seconds * MS_PER_S;
    this.halfway = begin + (seconds * MS_PER_S) / 2;
    this.#commandsPerUnit = commandsPerUnit;
    this.#onProgress = onProgress;
    this.#nextProgress = onProgress === undefined ? Infinity : begin + MS_PER_S;
    this.meters = Array.from({ length: walkers }, () => new Meter(this));
  }

  /** When a walker has to stop and think: at a report, at half time, at the end. */
  checkpointFor(meter: Meter): number {
    const half = meter.half === undefined ? this.halfway : Infinity;
    return Math.min(half, this.#nextProgress, this.end);
  }

  /** Units completed by all walkers. */
  get units(): number {
    return this.meters.reduce((sum, { units }) => sum + units, 0);
  }

  /** Commands completed by all walkers. */
  get operations(): number {
    return this.units * this.#commandsPerUnit;
  }

  /** Commands completed by each walker. */
  get operationsByWalker(): readonly number[] {
    return this.meters.map(({ units }) => units * this.#commandsPerUnit);
  }

  /** The first half, or null when not every walker completed a unit between half time and the end. */
  firstHalf(): Half | null {
    const halves = this.meters.map(({ half }) => half);
    if (!halves.every((half) => half !== undefined)) {
      return null;
    }
    const units = halves.reduce((sum, half) => sum + half.units, 0);
    const latest = halves.reduce((last, half) => Math.max(last, half.at), 0);
    return { operations: units * this.#commandsPerUnit, elapsed_ns: nanoseconds(latest - this.begin) };
  }

  /** Reports progress when it is due. */
  report(now: number): void {
    if (now < this.#nextProgress || now >= this.end) {
      return;
    }
    this.#onProgress?.(nanoseconds(now - this.begin), this.operations);
    const elapsed = Math.floor((now - this.begin) / MS_PER_S);
    this.#nextProgress = this.begin + (elapsed + 1) * MS_PER_S;
  }
}

/** What one walker has done; loops compare the clock with `checkpoint` and call `isOver` only beyond it. */
export class Meter {
  /** Units completed without error. */
  units = 0;
  checkpoint: number;
  half: { readonly units: number; readonly at: number } | undefined;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.checkpoint = window.checkpointFor(this);
  }

  /** Does what is due at `now`, and says whether the window is over. */
  isOver(now: number): boolean {
    const window = this.#window;
    if (now >= window.end) {
      return true;
    }
    if (this.half === undefined && now >= window.halfway) {
      this.half = { units: this.units, at: now };
    }
    window.report(now);
    this.checkpoint = window.checkpointFor(this);
    return false;
  }
}
