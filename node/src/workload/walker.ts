import type { WorkloadPart } from "../contract/trial.js";

/** Takes one command after another, cyclically. */
export class Walker {
  /** Index of the command at which it started. */
  first = 0;
  /** Index of the next command. */
  position = 0;
  readonly #length: number;
  /** How many commands after a slice's first command it starts. */
  readonly #offset: number;

  constructor(length: number, offset: number) {
    this.#length = length;
    this.#offset = offset;
    this.goTo(0);
  }

  /** Goes to its first command in a slice that starts at `firstCommand`; verification starts at 0. */
  goTo(firstCommand: number): void {
    this.first = (firstCommand + this.#offset) % this.#length;
    this.position = this.first;
  }

  /** Takes the next command; returns its index. */
  next(): number {
    const index = this.position;
    this.position = index + 1 === this.#length ? 0 : index + 1;
    return index;
  }
}

/** Walkers of this process's part, spread evenly over the workload with those of other parts. */
export function walkersOf(length: number, { part, parts }: WorkloadPart, count: number): readonly Walker[] {
  const all = parts * count;
  return Array.from({ length: count }, (_, index) => {
    const number = part * count + index;
    return new Walker(length, Math.floor((number * length) / all));
  });
}
