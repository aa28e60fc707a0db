import type { ClientDescription } from "../contract/description.js";
import type { Trial } from "../contract/trial.js";
import type { Workload } from "../workload/workload.js";
import type { Methods } from "./calls.js";
import type { Connect, Library, Unit } from "./library.js";
import { materialise } from "./materialise.js";

/**
 * No client at all: its commands do nothing. A trial of it shows what the loop itself costs every client.
 *
 * It is loaded only by name, and `describe` does not list it.
 */
export const nullLibrary: Library = {
  description: description(),
  wordTypeOf: () => "text",
  objection: ({ shape }: Trial) => (shape.scenario === "sync" ? undefined : "it has only sync"),
  prepare,
  explain: () => undefined,
};

const DONE = Promise.resolve();

function prepare(_trial: Trial, workload: Workload): Connect {
  const names = workload.header.mix.map(({ name }) => name.split(" ").join("_").toUpperCase());
  const methods: Methods<unknown> = Object.fromEntries(names.map((name) => [name, nothing]));
  const calls = materialise(workload, (method, values) => [...method.split("_"), ...values]);
  const unit: Unit = (walker) => {
    calls.send(methods, walker.next());
    return DONE;
  };
  return async () => ({ unit, settings: {}, settle: async () => undefined, close: () => undefined });
}

function nothing(): void {
  // Nothing is sent.
}

function description(): ClientDescription {
  const scenarios = { sync: { windows: [], forms: [] } };
  return { library: "null", version: "0", dependencies: {}, options: {}, scenarios, differences: [] };
}
