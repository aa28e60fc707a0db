/**
 * The bare loops that the runner is judged by: what a user would write by hand with node-redis, and no more.
 *
 * Reads the same trial as the runner (one line on standard input), performs `sync`, `batching` or `pipelining` with the
 * GETs and SETs of the workload file, and shares nothing with the runner but that file. No latency is recorded.
 * Prints {"event":"ready"} when warm, waits for a line, measures, and prints
 * {"operations": n, "elapsed_ns": n, "cpu_ns": n}.
 */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { createClient } from "redis";

/** @typedef {(until: number) => Promise<number>} Loop performs commands until that moment and returns how many */

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const trial = JSON.parse((await input.next()).value ?? "null");
const { keys, values } = readCommands(trial.workload.path);
const count = keys.length;
const first = Math.floor(((trial.workload.part ?? 0) * count) / (trial.workload.parts ?? 1));

const client = createClient(clientOptions());
client.on("error", fail);
await client.connect();

const loop = loopFor(trial);
await loop(performance.now() + trial.warmup_s * 1000);
console.log('{"event":"ready"}');
await input.next();

const cpu = process.cpuUsage();
const begin = performance.now();
const operations = await loop(begin + trial.measure_s * 1000);
const elapsed = performance.now() - begin;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ operations, elapsed_ns: Math.round(elapsed * 1e6), cpu_ns: (user + system) * 1000 }));
client.destroy();
process.exit(0);

/** @type {Loop} */
async function sync(until) {
  let at = first;
  let operations = 0;
  do {
    const value = values[at];
    if (value === undefined) {
      await client.get(keys[at]);
    } else {
      await client.set(keys[at], value);
    }
    at = at + 1 === count ? 0 : at + 1;
    operations += 1;
  } while (performance.now() < until);
  return operations;
}

/** @type {(depth: number) => Loop} */
function batching(depth) {
  return async (until) => {
    let at = first;
    let operations = 0;
    do {
      const batch = client.multi();
      for (let i = 0; i < depth; i += 1) {
        const value = values[at];
        if (value === undefined) {
          batch.get(keys[at]);
        } else {
          batch.set(keys[at], value);
        }
        at = at + 1 === count ? 0 : at + 1;
      }
      await batch.execAsPipeline();
      operations += depth;
    } while (performance.now() < until);
    return operations;
  };
}

/** @type {(depth: number) => Loop} */
function burst(depth) {
  /** @type {Promise<unknown>[]} */
  const replies = new Array(depth);
  return async (until) => {
    let at = first;
    let operations = 0;
    do {
      for (let i = 0; i < depth; i += 1) {
        const value = values[at];
        replies[i] = value === undefined ? client.get(keys[at]) : client.set(keys[at], value);
        at = at + 1 === count ? 0 : at + 1;
      }
      await Promise.all(replies);
      operations += depth;
    } while (performance.now() < until);
    return operations;
  };
}

/** @type {(depth: number) => Loop} */
function sliding(depth) {
  return async (until) => {
    let at = first;
    let operations = 0;
    const task = async () => {
      do {
        const key = keys[at];
        const value = values[at];
        at = at + 1 === count ? 0 : at + 1;
        if (value === undefined) {
          await client.get(key);
        } else {
          await client.set(key, value);
        }
        operations += 1;
      } while (performance.now() < until);
    };
    await Promise.all(Array.from({ length: depth }, task));
    return operations;
  };
}

/**
 * @param {any} trial
 * @returns {Loop}
 */
function loopFor({ scenario, shape }) {
  switch (scenario) {
    case "sync":
      return sync;
    case "batching":
      return batching(shape.depth);
    case "pipelining":
      return shape.window === "burst" ? burst(shape.depth) : sliding(shape.depth);
    default:
      throw fail(new Error(`there is no bare loop for ${scenario}: use sync, batching or pipelining`));
  }
}

function clientOptions() {
  const { host, port, unix_socket, username, password, database } = trial.target;
  const options = trial.client.options ?? {};
  return {
    socket: unix_socket ? { path: unix_socket } : { host, port },
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(database ? { database } : {}),
    ...(options.protocol === 2 ? { RESP: /** @type {2} */ (2) } : {}),
    ...(options["command-timeout"] === "off" ? { commandOptions: { timeout: 0 } } : {}),
  };
}

/**
 * Keys and values of all commands; a GET has no value. `toString` copies, so all are flat in memory.
 *
 * @param {string} path
 * @returns {{ keys: string[], values: (string | undefined)[] }}
 */
function readCommands(path) {
  const file = readFileSync(path);
  const header = JSON.parse(file.toString("utf8", 16, 16 + file.readUInt32LE(12)));
  /** @type {string[]} */
  const keys = [];
  /** @type {(string | undefined)[]} */
  const values = [];
  for (let i = 0; i < header.commands; i += 1) {
    const { name } = header.mix[file.readUInt8(header.kinds.offset + i)];
    const key = file.readUInt32LE(header.keys.offset + 4 * i);
    const size = file.readUInt32LE(header.sizes.offset + 4 * i);
    const start = header.block.offset + ((key * header.value_multiplier) % 2 ** header.value_modulus_bits);
    if (name !== "GET" && name !== "SET") {
      throw fail(new Error(`the bare loops know GET and SET, not ${name}: use a workload of these`));
    }
    keys.push(Buffer.from(header.key_prefix + String(key).padStart(header.key_digits, "0")).toString("latin1"));
    values.push(name === "SET" ? file.toString("latin1", start, start + size) : undefined);
  }
  return { keys, values };
}

/**
 * @param {Error} error
 * @returns {never}
 */
function fail(error) {
  console.error(error.message);
  process.exit(1);
}
