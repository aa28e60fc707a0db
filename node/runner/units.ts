import type { Adapter, Block, Sender } from "./adapter.js";
import type { Trial } from "./contract.js";
import type { Unit } from "./loop.js";
import type { Commands } from "./workload.js";

/** The longest that a unit waits for a connection of a pool; the same in every language. */
const POOL_WAIT_MS = 3000;

/** What a trial works with. */
export interface Connected {
  readonly unit: Unit;
  /** Resolves when nothing of a failed unit is in flight any more. */
  settle(): Promise<unknown>;
  close(): void;
}

/** Opens every connection that the trial uses. */
export async function connect(
  { scenario, shape }: Trial,
  adapter: Adapter,
  commands: Commands,
  onError: (error: Error) => void,
): Promise<Connected> {
  const depth = shape.depth ?? 1;
  if (scenario === "new-connection") {
    return { unit: newConnection(adapter, commands, onError), settle, close: () => undefined };
  }
  const sender =
    scenario === "pool" && adapter.pool
      ? await adapter.pool(shape.max_total ?? 1, POOL_WAIT_MS, onError)
      : await adapter.connect(onError);
  const close = () => adapter.drop(sender);
  if (scenario === "batching" || scenario === "transaction") {
    const block = scenario === "batching" ? adapter.batch : adapter.transaction;
    return { unit: filled(block, sender, commands, depth), settle, close };
  }
  if (shape.window === "burst") {
    return { ...burst(sender, commands, depth), close };
  }
  return { unit: (walker) => commands(sender, walker.next()) as Promise<unknown>, settle, close };
}

/** `depth` commands in a block, made anew for each unit. */
function filled(block: Block<Sender>, client: Sender, commands: Commands, depth: number): Unit {
  return (walker) => {
    const sender = block.begin(client);
    for (let count = 0; count < depth; count += 1) {
      commands(sender, walker.next());
    }
    return block.run(sender);
  };
}

/** `depth` commands issued in one turn of the event loop, then all awaited. */
function burst(sender: Sender, commands: Commands, depth: number): Pick<Connected, "unit" | "settle"> {
  const inFlight: Promise<unknown>[] = new Array(depth);
  return {
    unit: (walker) => {
      for (let index = 0; index < depth; index += 1) {
        inFlight[index] = commands(sender, walker.next()) as Promise<unknown>;
      }
      return Promise.all(inFlight);
    },
    settle: () => Promise.allSettled(inFlight),
  };
}

/** Connect, one command, close. */
function newConnection(adapter: Adapter, commands: Commands, onError: (error: Error) => void): Unit {
  return async (walker) => {
    const client = await adapter.connect(onError);
    try {
      const reply = await commands(client, walker.next());
      await adapter.close(client);
      return reply;
    } catch (error) {
      adapter.drop(client);
      throw error;
    }
  };
}

async function settle(): Promise<void> {
  // Nothing of a failed unit stays in flight.
}
