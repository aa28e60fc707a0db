import type { Calls, Methods } from "./calls.js";
import type { Session } from "./library.js";

/** `depth` commands issued in one turn of the event loop, then all awaited. */
export function burst(
  calls: Calls,
  methods: Methods<Promise<unknown>>,
  depth: number,
): Pick<Session, "unit" | "settle"> {
  const inFlight: Promise<unknown>[] = new Array(depth);
  return {
    unit: (walker) => {
      for (let index = 0; index < depth; index += 1) {
        inFlight[index] = calls.send(methods, walker.next());
      }
      return Promise.all(inFlight);
    },
    settle: () => Promise.allSettled(inFlight),
  };
}
