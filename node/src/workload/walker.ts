import type { WorkloadPart } from "../contract/trial.js";

/** Takes one command after the other, cyclically. */
export class Walker {
  /** Index of the command that it was last sent to. */
  first = 0;
  /** Index of the command that comes next. */
  position = 0;
  readonly #length: number;
  /** How far it starts from the first walker of all processes. */
  readonly #offset: number;

  constructor(length: number, offset: number) {
    this.#length = length;
    this.#offset = offset;
    this.goTo(0);
  }

  /** Goes to its own command of a slice, or of verification, that begins at `firstCommand`. */
  goTo(firstCommand: number): void {
    this.first = (firstCommand + this.#offset) % this.#length;
    this.position = this.first;
  }

  /** Index of the next command, which is hereby taken. */
  next(): number {
    const index = this.position;
    this.position = index + 1 === this.#length ? 0 : index + 1;
    return index;
  }
}

/** Walkers of this process's part, spread evenly over the workload with those of the other parts. */
export function walkersOf(length: number, { part, parts }: WorkloadPart, count: number): readonly Walker[] {
  const all = parts * count;
  return Array.from({ length: count }, (_, index) => {
    const number = part * count + index;
    return new Walker(length, Math.floor((number * length) / all));
  });
}
