/** Methods of a client object by name. */
export type Methods<Returned> = Readonly<Record<string, Method<Returned>>>;

type Method<Returned> = (...values: readonly unknown[]) => Returned;

/** A command as a call of a library's method. */
export interface Call {
  readonly method: string;
  readonly values: readonly unknown[];
}

/** What commands that differ only in their first value have in common: the method, and the values after the first. */
interface Variant {
  readonly method: string;
  readonly arity: number;
  /** Used by commands that have no first value of their own. */
  readonly first: unknown;
  readonly second: unknown;
  readonly third: unknown;
  readonly rest: readonly unknown[];
}

/**
 * The workload's commands as calls of a library's methods, prepared before the first slice.
 *
 * They are kept in two columns that the loop walks in order: the first value, usually the key, and the number of the
 * variant that has the rest; there are a few hundred variants. One object per command would cost the measured loop
 * five percent in cache misses and garbage collection. Passing up to three values one by one is as cheap as in
 * hand-written code; spreading a list is not.
 */
export class Calls {
  readonly #firsts: unknown[];
  readonly #variantOf: Uint32Array;
  readonly #variants: Variant[] = [];

  constructor(length: number) {
    this.#firsts = new Array(length);
    this.#variantOf = new Uint32Array(length);
  }

  /** Adds a variant and returns its number. */
  add({ method, values }: Call): number {
    const [first, second, third, ...others] = values;
    const rest = others.length > 0 ? values.slice(1) : NONE;
    return this.#variants.push({ method, arity: values.length, first, second, third, rest }) - 1;
  }

  /** Makes command `index` this variant, with `first` instead of the variant's first value. */
  put(index: number, variant: number, first: unknown = this.#variants[variant]?.first): void {
    this.#variantOf[index] = variant;
    this.#firsts[index] = first;
  }

  /** Calls the method of command `index` on a client, a pool or a batch. */
  send<Returned>(target: Methods<Returned>, index: number): Returned {
    const variant = this.#variants[this.#variantOf[index] as number] as Variant;
    const { method } = variant;
    switch (variant.arity) {
      case 0:
        return (target[method] as Method<Returned>)();
      case 1:
        return (target[method] as Method<Returned>)(this.#firsts[index]);
      case 2:
        return (target[method] as Method<Returned>)(this.#firsts[index], variant.second);
      case 3:
        return (target[method] as Method<Returned>)(this.#firsts[index], variant.second, variant.third);
      default:
        return (target[method] as Method<Returned>)(this.#firsts[index], ...variant.rest);
    }
  }
}

const NONE: readonly unknown[] = [];
