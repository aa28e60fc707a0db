import { type Adapter, type Block, connected, type Sender, type Trial } from "./adapter.js";
import type { Connected, Unit } from "./loop.js";
import type { SendNumber } from "./workload.js";

/** The longest that a unit waits for a connection of a pool; the same in every language. */
const POOL_WAIT_MS = 3000;

type OnError = (error: Error) => void;

/** Every connection of a trial. */
export interface Connections {
  /** What each walker works with; where there are fewer, they share. */
  readonly connected: readonly Connected[];
  close(): Promise<void>;
}

/** Opens every connection that the trial uses. */
export async function connect(
  trial: Trial,
  adapter: Adapter,
  send: SendNumber,
  onError: OnError,
): Promise<Connections> {
  const { scenario, shape } = trial;
  if (scenario === "new-connection") {
    return { connected: [{ unit: newConnection(adapter, send, onError) }], close: async () => undefined };
  }
  const open = () =>
    scenario === "pool" && adapter.pool
      ? adapter.pool(shape.max_total ?? 1, POOL_WAIT_MS, onError)
      : connected(adapter, onError);
  const senders = await Promise.all(Array.from({ length: (scenario === "batching" && shape.connections) || 1 }, open));
  return {
    connected: senders.map((sender) => connectedBy(sender, trial, adapter, send)),
    close: async () => {
      await Promise.all(senders.map((sender) => adapter.close(sender)));
    },
  };
}

function connectedBy(sender: Sender, { scenario, shape }: Trial, adapter: Adapter, send: SendNumber): Connected {
  const depth = shape.depth ?? 1;
  switch (shape.window ?? scenario) {
    case "batching":
      return filled(adapter.batch, sender, send, depth);
    case "transaction":
      return filled(adapter.transaction, sender, send, depth);
    case "burst":
      return burst(sender, send, depth);
    default:
      return { unit: (walker) => send(sender, walker.next()) as Promise<unknown> };
  }
}

/** `depth` commands in a block, made anew for each unit. */
function filled(block: Block<Sender>, client: Sender, send: SendNumber, depth: number): Connected {
  return {
    unit: (walker) => {
      const sender = block.begin(client);
      for (let count = 0; count < depth; count += 1) {
        send(sender, walker.next());
      }
      return block.run(sender, client);
    },
    replies: block.replies ?? listed,
  };
}

function listed(replies: unknown): unknown[] {
  return replies as unknown[];
}

/** `depth` commands issued in one turn of the event loop, then all awaited. */
function burst(sender: Sender, send: SendNumber, depth: number): Connected {
  let inFlight: Promise<unknown>[] = [];
  return {
    unit: (walker) => {
      inFlight = new Array(depth);
      for (let index = 0; index < depth; index += 1) {
        inFlight[index] = send(sender, walker.next()) as Promise<unknown>;
      }
      return Promise.all(inFlight);
    },
    replies: listed,
    settle: () => Promise.allSettled(inFlight),
  };
}

/** Connect, one command, close. */
function newConnection(adapter: Adapter, send: SendNumber, onError: OnError): Unit {
  return async (walker) => {
    const client = await connected(adapter, onError);
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
