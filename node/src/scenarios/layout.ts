import type { SampleCovers } from "../contract/events.js";
import type { Shape } from "../contract/trial.js";

/** How a scenario is laid out on the event loop. */
export interface Layout {
  /** Walkers through the workload. */
  readonly walkers: number;
  /** Loops that share one walker. */
  readonly loopsPerWalker: number;
  readonly commandsPerUnit: number;
  readonly sampleCovers: SampleCovers;
}

const ONE_COMMAND: Layout = { walkers: 1, loopsPerWalker: 1, commandsPerUnit: 1, sampleCovers: "command" };

/** The layout of a shape. */
export function layoutOf(shape: Shape): Layout {
  switch (shape.scenario) {
    case "sync":
    case "caching":
      return ONE_COMMAND;
    case "pipelining":
      return shape.window === "sliding"
        ? { ...ONE_COMMAND, loopsPerWalker: shape.depth }
        : { ...ONE_COMMAND, commandsPerUnit: shape.depth, sampleCovers: "burst" };
    case "batching":
      return { ...ONE_COMMAND, commandsPerUnit: shape.depth, sampleCovers: "batch" };
    case "transaction":
      return { ...ONE_COMMAND, commandsPerUnit: shape.depth, sampleCovers: "transaction" };
    case "threads":
    case "pool":
      return { ...ONE_COMMAND, walkers: shape.threads };
    case "new-connection":
      return { ...ONE_COMMAND, sampleCovers: "connection" };
  }
}
