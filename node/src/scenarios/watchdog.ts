import { LIMITS } from "../contract/limits.js";

/** How long to wait for progress, and whether an error that the library reports is final. */
export interface Patience {
  readonly silenceMs: number;
  readonly isErrorFinal: boolean;
}

/** A library that cannot connect would keep trying for ever: its first error is final. */
export const AT_START: Patience = { silenceMs: LIMITS.silenceMs, isErrorFinal: true };
/** In a slice a library may reconnect. */
export const IN_SLICE: Patience = { silenceMs: LIMITS.silenceMs, isErrorFinal: false };

/** How often it looks for progress before it gives up. */
const LOOKS = 5;

/** The library reported an error (`cause`) while errors were final. */
export class ConnectionFailed extends Error {}

/** The target is lost: nothing succeeds any more; `cause` is the error that was reported, if any. */
export class Lost extends Error {}

/** The work that is guarded now. */
interface Guarded {
  readonly patience: Patience;
  readonly progress: () => number;
  readonly giveUp: (error: Error) => void;
}

/**
 * Ends work that the target no longer answers.
 *
 * Libraries reconnect for ever, and a command waits for ever on a connection that stays silent. The watchdog costs a
 * slice one timer, which fires only in slices longer than two seconds; between slices it has none.
 */
export class Watchdog {
  #guarded: Guarded | undefined;
  #timer: NodeJS.Timeout | undefined;
  #heard: unknown;

  /** Settles as `work` does, or rejects with `Lost` when `progress` stands still for too long. */
  guard<Outcome>(work: () => Promise<Outcome>, patience: Patience, progress: () => number = () => 0): Promise<Outcome> {
    return new Promise<Outcome>((resolve, reject) => {
      this.#guarded = { patience, progress, giveUp: reject };
      this.#heard = undefined;
      this.#watch(this.#guarded, progress(), 1);
      work().then(resolve, reject);
    }).finally(() => {
      clearTimeout(this.#timer);
      this.#guarded = undefined;
    });
  }

  /** Takes an error that the library reports. If it is not final, it is kept to explain why nothing succeeds. */
  alarm(error: unknown): void {
    if (this.#guarded?.patience.isErrorFinal) {
      this.#guarded.giveUp(new ConnectionFailed("the connection failed", { cause: error }));
    } else {
      this.#heard ??= error;
    }
  }

  #watch(guarded: Guarded, before: number, look: number): void {
    const { silenceMs } = guarded.patience;
    this.#timer = setTimeout(() => {
      const now = guarded.progress();
      if (now !== before) {
        this.#heard = undefined;
        this.#watch(guarded, now, 1);
      } else if (look < LOOKS) {
        this.#watch(guarded, before, look + 1);
      } else {
        guarded.giveUp(new Lost(`no unit succeeded for ${silenceMs / 1000} s`, { cause: this.#heard }));
      }
    }, silenceMs / LOOKS);
  }
}
