// Valkey GLIDE as its README uses it: `node valkey_glide.mjs PACKAGES HOST PORT sync|batching KEY_PREFIX`. PACKAGES is
// the folder that has node_modules.
import { createRequire } from "node:module";
import { password, takeTurns } from "./turns.mjs";

const [packages, host, port, scenario, prefix] = process.argv.slice(2);
const { Batch, GlideClient, Logger } = createRequire(`${packages}/`)("@valkey/valkey-glide");
Logger.setLoggerConfig("off"); // it would write between the answers

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
  const batch = new Batch(false);
  for (const { key, value } of group) {
    if (value === undefined) {
      batch.get(key);
    } else {
      batch.set(key, value);
    }
  }
  await client.exec(batch, true);
}

const client = await GlideClient.createClient({
  addresses: [{ host, port: Number(port) }],
  credentials: password && { password },
  // A timeout for the use, as the README recommends.
  requestTimeout: 10_000,
});
await takeTurns(prefix, scenario === "batching" ? batching : sync);
client.close();
