// node-redis as its README uses it: `node node_redis.mjs PACKAGES HOST PORT sync|batching KEY_PREFIX`. PACKAGES is the
// folder that has node_modules.
import { createRequire } from "node:module";
import { password, takeTurns } from "./turns.mjs";

const [packages, host, port, scenario, prefix] = process.argv.slice(2);
const { createClient } = createRequire(`${packages}/`)("redis");

async function sync(group) {
  for (const { key, value } of group) {
    if (value === undefined) {
      await client.get(key);
    } else {
      await client.set(key, value);
    }
  }
}

async function batching(group) {
  const batch = client.multi();
  for (const { key, value } of group) {
    if (value === undefined) {
      batch.get(key);
    } else {
      batch.set(key, value);
    }
  }
  await batch.execAsPipeline();
}

const client = createClient({ password, socket: { host, port: Number(port) } });
client.on("error", (error) => {
  throw error;
});
await client.connect();
await takeTurns(prefix, scenario === "batching" ? batching : sync);
await client.close();
