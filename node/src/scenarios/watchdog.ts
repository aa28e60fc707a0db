/** How long to wait for anything at all, and how long after an error. */
export interface Patience {
  readonly silenceMs: number;
  readonly afterErrorMs: number;
}

/** Before the window an error is final. */
export const AT_START: Patience = { silenceMs: 10_000, afterErrorMs: 0 };
/** In the window a library may reconnect. */
export const IN_WINDOW: Patience = { silenceMs: 30_000, afterErrorMs: 5_000 };

/** The library reported an error, its `cause`, while an error is final. */
export class ConnectionFailed extends Error {}

/** The target no longer answers; `cause` is the error that was heard before, if there was one. */
export class Lost extends Error {}

/**
 * Ends work that the target no longer answers.
 *
 * Libraries reconnect for ever, and a command waits for ever on a connection that says nothing. The watchdog costs the
 * window one timer that fires every half a minute; it looks closer once an error was heard.
 */
export class Watchdog {
  #patience = AT_START;
  #progress: () => number = () => 0;
  #giveUp: (error: Error) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #alarmed = false;

  /** Settles as `work` does, or rejects with `Lost` when `progress` stands still for too long. */
  guard<Outcome>(work: Promise<Outcome>, patience: Patience, progress: () => number = () => 0): Promise<Outcome> {
    this.#patience = patience;
    this.#progress = progress;
    this.#alarmed = false;
    return new Promise<Outcome>((resolve, reject) => {
      this.#giveUp = reject;
      this.#watch(patience.silenceMs, "nothing was answered");
      work.then(resolve, reject);
    }).finally(() => clearTimeout(this.#timer));
  }

  /** After an error: what does not recover soon is lost. */
  alarm(error: unknown): void {
    const { afterErrorMs } = this.#patience;
    if (afterErrorMs === 0) {
      this.#giveUp(new ConnectionFailed("the connection failed", { cause: error }));
    } else if (!this.#alarmed) {
      this.#alarmed = true;
      clearTimeout(this.#timer);
      this.#watch(afterErrorMs, "nothing succeeded", error);
    }
  }

  #watch(forMs: number, complaint: string, cause?: unknown): void {
    const before = this.#progress();
    this.#timer = setTimeout(() => {
      if (this.#progress() === before) {
        this.#giveUp(new Lost(`${complaint} for ${forMs / 1000} s`, { cause }));
      } else {
        this.#watch(forMs, complaint, cause);
      }
    }, forMs);
  }
}
