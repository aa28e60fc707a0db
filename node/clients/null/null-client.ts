import type { MakeAdapter, Sender } from "../../runner/adapter.js";

const DONE = Promise.resolve(null);
const SENDER: Sender = { get: () => DONE, set: () => DONE };
const BLOCK = { begin: () => SENDER, run: () => DONE };

/** No library at all: what the loop itself costs. Every command is answered at once. */
export const adapter: MakeAdapter = () => ({
  versions: { null: "1" },
  values: "text",
  commands: { GET: () => (sender, key) => sender.get(key), SET: (value) => (sender, key) => sender.set(key, value) },
  batch: BLOCK,
  transaction: BLOCK,
  create: () => SENDER,
  pool: async () => SENDER,
  close: () => DONE,
  drop: () => undefined,
});
