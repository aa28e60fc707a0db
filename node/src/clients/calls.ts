/** Methods of a client object by name. */
export type Methods<Returned> = Readonly<Record<string, Method<Returned>>>;

type Method<Returned> = (...values: readonly unknown[]) => Returned;

/** A command as a call of a library's method. */
export interface Call {
  readonly method: string;
  readonly values: readonly unknown[];
}

/** What all commands of one kind have in common. */
interface Form {
  readonly method: string;
  readonly arity: number;
}

const MOST_COLUMNS = 3;

/**
 * The workload's commands as calls of a library's methods, prepared before the clock starts.
 *
 * They lie in columns, not in objects: at two microseconds a command, one object each costs the measured loop five
 * percent in cache misses and garbage collection. Passing up to three arguments one by one is as cheap as in
 * hand-written code; spreading a list is not.
 */
export class Calls {
  readonly length: number;
  readonly #forms: readonly Form[];
  readonly #kinds: Uint8Array;
  readonly #first: unknown[] = [];
  readonly #second: unknown[] = [];
  readonly #third: unknown[] = [];
  readonly #all: (readonly unknown[])[] = [];

  /** `kinds` says for each command which of the `kindCount` kinds it is of. */
  constructor(kinds: Uint8Array, kindCount: number, callOf: (index: number) => Call) {
    this.length = kinds.length;
    this.#kinds = kinds;
    const forms: Form[] = Array.from({ length: kindCount }, () => ({ method: "", arity: 0 }));
    for (const [index, kind] of kinds.entries()) {
      const { method, values } = callOf(index);
      forms[kind] = { method, arity: values.length };
      this.#keep(index, values);
    }
    this.#forms = forms;
  }

  /** Makes the call of command `index` on a client, a pool or a batch. */
  send<Returned>(target: Methods<Returned>, index: number): Returned {
    const { method, arity } = this.#forms[this.#kinds[index] as number] as Form;
    switch (arity) {
      case 0:
        return (target[method] as Method<Returned>)();
      case 1:
        return (target[method] as Method<Returned>)(this.#first[index]);
      case 2:
        return (target[method] as Method<Returned>)(this.#first[index], this.#second[index]);
      case 3:
        return (target[method] as Method<Returned>)(this.#first[index], this.#second[index], this.#third[index]);
      default:
        return (target[method] as Method<Returned>)(...(this.#all[index] as readonly unknown[]));
    }
  }

  /** Every column that is used has an entry for every command, so that none of them has holes. */
  #keep(index: number, values: readonly unknown[]): void {
    [this.#first[index], this.#second[index], this.#third[index]] = values;
    this.#all[index] = values.length > MOST_COLUMNS ? values : NONE;
  }
}

const NONE: readonly unknown[] = [];
