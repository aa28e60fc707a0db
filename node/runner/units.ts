import type { Adapter, Block, Sender, Trial } from "./adapter.js";
import type { Connected, Unit } from "./loop.js";
import type { SendNumber } from "./workload.js";

/** The longest that a unit waits for a connection of a pool; the same in every language. */
const POOL_WAIT_MS = 3000;

type OnError = (error: Error) => void;

/** Opens every connection that the trial uses. */
export async function connect(trial: Trial, adapter: Adapter, send: SendNumber, onError: OnError): Promise<Connected> {
  const { scenario, shape } = trial;
  if (scenario === "new-connection") {
    return { unit: newConnection(adapter, send, onError) };
  }
  const sender =
    scenario === "pool" && adapter.pool
      ? await adapter.pool(shape.max_total ?? 1, POOL_WAIT_MS, onError)
      : await adapter.connect(onError);
  const depth = shape.depth ?? 1;
  switch (shape.window ?? scenario) {
    case "batching":
      return { unit: filled(adapter.batch, sender, send, depth) };
    case "transaction":
      return { unit: filled(adapter.transaction, sender, send, depth) };
    case "burst":
      return burst(sender, send, depth);
    default:
      return { unit: (walker) => send(sender, walker.next()) as Promise<unknown> };
  }
}

/** `depth` commands in a block, made anew for each unit. */
function filled(block: Block<Sender>, client: Sender, send: SendNumber, depth: number): Unit {
  return (walker) => {
    const sender = block.begin(client);
    for (let count = 0; count < depth; count += 1) {
      send(sender, walker.next());
    }
    return block.run(sender);
  };
}

/** `depth` commands issued in one turn of the event loop, then all awaited. */
function burst(sender: Sender, send: SendNumber, depth: number): Connected {
  const inFlight: Promise<unknown>[] = new Array(depth);
  return {
    unit: (walker) => {
      for (let index = 0; index < depth; index += 1) {
        inFlight[index] = send(sender, walker.next()) as Promise<unknown>;
      }
      return Promise.all(inFlight);
    },
    settle: () => Promise.allSettled(inFlight),
  };
}

/** Connect, one command, close. */
function newConnection(adapter: Adapter, send: SendNumber, onError: OnError): Unit {
  return async (walker) => {
    const client = await adapter.connect(onError);
    try {
      const reply = await send(client, walker.next());
      await adapter.close(client);
      return reply;
    } catch (error) {
      adapter.drop(client);
      throw error;
    }
  };
}
