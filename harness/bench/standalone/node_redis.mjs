// node-redis as its README uses it: `node node_redis.mjs PACKAGES HOST PORT sync|batching KEY_PREFIX`. PACKAGES is the
// folder that has node_modules. The first line of input is the password, perhaps empty; each of the others is a turn, in
// seconds.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [packages, host, port, scenario, prefix] = process.argv.slice(2);
const { createClient } = createRequire(`${packages}/`)("redis");
const BATCH = 100;

// 1,000 groups of commands: four in five are GETs, which have no value.
function made() {
  const values = Array.from({ length: 500 }, () => text(Math.min(Math.max(gauss(1024, 262.7), 4), 2048)));
  const command = () =>
    Math.random() < 0.8
      ? { key: name(37_500) }
      : { key: name(30_000), value: values[Math.floor(Math.random() * values.length)] };
  return Array.from({ length: 1_000 }, () => Array.from({ length: BATCH }, command));
}

function name(keys) {
  return Buffer.from(prefix + String(Math.floor(Math.random() * keys)).padStart(7, "0")).toString();
}

function text(length) {
  return Buffer.from(Array.from({ length }, () => 97 + Math.floor(Math.random() * 26))).toString();
}

function gauss(mean, deviation) {
  return Math.round(
    mean + deviation * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random()),
  );
}

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

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const password = (await lines.next()).value || undefined;
const client = createClient({ password, socket: { host, port: Number(port) } });
client.on("error", (error) => {
  throw error;
});
await client.connect();
const perform = scenario === "batching" ? batching : sync;
const groups = made();
let at = 0;
console.log("ready");
for await (const line of lines) {
  const started = performance.now();
  const ends = started + Number(line) * 1e3;
  let operations = 0;
  let now = started;
  while (now < ends) {
    await perform(groups[at]);
    at = (at + 1) % groups.length;
    operations += BATCH;
    now = performance.now();
  }
  console.log(operations, Math.round((now - started) * 1e6));
}
await client.close();
