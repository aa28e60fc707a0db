import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** V8's default. */
const GROWTH = 2;

/**
 * Makes objects that live until the end, and collects the garbage left by making them.
 *
 * V8 enlarges the space for new objects when many of them survive. The workload must not cause that: it would take
 * 20 MB more, and a client would have another heap with a large workload than with a small one.
 */
export function makeLasting<Made>(make: () => Made): Made {
  setFlagsFromString("--semi-space-growth-factor=1");
  try {
    return make();
  } finally {
    setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`);
    setFlagsFromString("--expose-gc");
    (runInNewContext("gc") as () => void)();
  }
}
