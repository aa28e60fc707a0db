import type { WorkloadPart } from "../contract/trial.js";

/** Takes one command after the other, cyclically. */
export class Walker {
  readonly first: number;
  /** Index of the command that comes next. */
  position: number;
  readonly #length: number;

  constructor(length: number, first: number) {
    this.#length = length;
    this.first = first;
    this.position = first;
  }

  /** Index of the next command, which is hereby taken. */
  next(): number {
    const index = this.position;
    this.position = index + 1 === this.#length ? 0 : index + 1;
    return index;
  }
}

/** Walkers of this process's part, each at its own first command. */
export function walkersOf(length: number, { part, parts }: WorkloadPart, count: number): readonly Walker[] {
  const all = parts * count;
  return Array.from({ length: count }, (_, index) => {
    const number = part * count + index;
    return new Walker(length, Math.floor((number * length) / all));
  });
}
