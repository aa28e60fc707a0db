import type { ClientError, Library, Session } from "../clients/library.js";
import { LIMITS } from "../contract/limits.js";
import { Lost } from "./watchdog.js";

const LONGEST_MESSAGE = 500;

/** Counts a slice's failed units by kind, until there are too many in a row. */
export class Failures {
  readonly #explain: Library["explain"];
  readonly #settle: Session["settle"];
  readonly #onFailure: (error: unknown) => void;
  readonly #counts = new Map<string, number>();
  #first: string | null = null;

  constructor(explain: Library["explain"], settle: Session["settle"], onFailure: (error: unknown) => void) {
    this.#explain = explain;
    this.#settle = settle;
    this.#onFailure = onFailure;
  }

  /** Units that failed, by kind. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** The first failure's message, shortened. */
  get first(): string | null {
    return this.#first;
  }

  /** Forgets the previous slice. */
  clear(): void {
    this.#counts.clear();
    this.#first = null;
  }

  /** Resolves when the loop may go on; rejects when it must not. */
  async accept(error: unknown, inARow: number): Promise<void> {
    const explained = this.#explain(error);
    if (explained === undefined) {
      throw error;
    }
    if (inARow >= LIMITS.failuresInARow) {
      throw new Lost(`${inARow} units in a row failed`, { cause: error });
    }
    this.#count(explained);
    this.#onFailure(error);
    await this.#settle();
  }

  #count({ kind, message }: ClientError): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    this.#first ??= `${kind}: ${message}`.slice(0, LONGEST_MESSAGE);
  }
}
