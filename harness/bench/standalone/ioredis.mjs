// ioredis as its README uses it, or its fork iovalkey: `node ioredis.mjs PACKAGES ioredis|iovalkey HOST PORT
// sync|batching KEY_PREFIX`. PACKAGES is the folder that has node_modules.
import { createRequire } from "node:module";
import { password, takeTurns } from "./turns.mjs";

const [packages, name, host, port, scenario, prefix] = process.argv.slice(2);
const Redis = createRequire(`${packages}/`)(name);

async function sync(group) {
  for (const { key, value } of group) {
    if (value === undefined) {
      await redis.get(key);
    } else {
      await redis.set(key, value);
    }
  }
}

async function batching(group) {
  const pipeline = redis.pipeline();
  for (const { key, value } of group) {
    if (value === undefined) {
      pipeline.get(key);
    } else {
      pipeline.set(key, value);
    }
  }
  for (const [error] of await pipeline.exec()) {
    if (error) {
      throw error;
    }
  }
}

const redis = new Redis({ host, port: Number(port), password });
await redis.ping();
await takeTurns(prefix, scenario === "batching" ? batching : sync);
await redis.quit();
