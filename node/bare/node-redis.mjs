/**
 * The bare loops that the runner is judged by: what a user would write by hand with node-redis, and no more.
 *
 *     node bare/node-redis.mjs --host H --port P --workload FILE --scenario S [--depth N] [--window burst|sliding]
 *                              [--command-timeout off] [--protocol 2]
 *
 * Performs `sync`, `batching` or `pipelining` (`--window burst` unless told otherwise) with the GETs and SETs of the
 * workload file, and shares nothing with the runner but that file. No latency is recorded. It prints `ready` when
 * connected and warm, answers each line `SECONDS FIRST_COMMAND` with `OPERATIONS ELAPSED_NS CPU_NS`, and ends when its
 * input ends.
 */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createClient } from "redis";

/** @typedef {(until: number) => Promise<number>} Loop performs commands until that moment and returns how many */

const WARM_UP_MS = 1000;
const LINE = /^(\d+(?:\.\d+)?) (\d+)$/;

const options = readOptions();
const { keys, values } = readCommands(options.workload);
const count = keys.length;
/** Index of the next command. */
let at = 0;

const client = createClient({
  socket: { host: options.host, port: Number(options.port) },
  ...(options.protocol === "2" ? { RESP: /** @type {2} */ (2) } : {}),
  ...(options["command-timeout"] === "off" ? { commandOptions: { timeout: 0 } } : {}),
});
client.on("error", fail);
await client.connect();

const loop = loopFor(options);
await loop(performance.now() + WARM_UP_MS);
console.log("ready");

for await (const line of createInterface({ input: process.stdin })) {
  const [, seconds, first] = LINE.exec(line) ?? fail(new Error(`expected SECONDS FIRST_COMMAND, not ${line}`));
  at = Number(first) % count;
  const begin = performance.now();
  const cpu = process.cpuUsage();
  const operations = await loop(begin + Number(seconds) * 1000);
  const { user, system } = process.cpuUsage(cpu);
  const elapsed = performance.now() - begin;
  console.log(`${operations} ${Math.round(elapsed * 1e6)} ${(user + system) * 1000}`);
}
client.destroy();

/** @type {Loop} */
async function sync(until) {
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
 * @param {{ scenario: string, depth: string, window: string }} options
 * @returns {Loop}
 */
function loopFor({ scenario, depth, window }) {
  switch (scenario) {
    case "sync":
      return sync;
    case "batching":
      return batching(Number(depth));
    case "pipelining":
      return window === "sliding" ? sliding(Number(depth)) : burst(Number(depth));
    default:
      throw fail(new Error(`there is no bare loop for ${scenario}: use sync, batching or pipelining`));
  }
}

function readOptions() {
  const text = /** @type {const} */ ({ type: "string", default: "" });
  try {
    const { values } = parseArgs({
      options: {
        host: text,
        port: text,
        workload: text,
        scenario: text,
        depth: { type: "string", default: "1" },
        window: { type: "string", default: "burst" },
        "command-timeout": text,
        protocol: text,
      },
    });
    return values;
  } catch (error) {
    throw fail(/** @type {Error} */ (error));
  }
}

/**
 * Keys and values of all commands; a GET has no value, and equal values are one string. `toString` copies, so all are
 * flat in memory.
 *
 * @param {string} path
 * @returns {{ keys: string[], values: (string | undefined)[] }}
 */
function readCommands(path) {
  const file = readFileSync(path);
  const header = JSON.parse(file.toString("utf8", 16, 16 + file.readUInt32LE(12)));
  const modulus = 2 ** header.value_modulus_bits;
  /** @type {string[]} */
  const keys = new Array(header.commands);
  /** @type {(string | undefined)[]} */
  const values = new Array(header.commands);
  /** @type {Map<number, string>} */
  const distinct = new Map();
  for (let i = 0; i < header.commands; i += 1) {
    const { name } = header.mix[file.readUInt8(header.kinds.offset + i)];
    if (name !== "GET" && name !== "SET") {
      throw fail(new Error(`the bare loops know GET and SET, not ${name}: use a workload of these`));
    }
    const key = file.readUInt32LE(header.keys.offset + 4 * i);
    const size = file.readUInt32LE(header.sizes.offset + 4 * i);
    keys[i] = Buffer.from(header.key_prefix + String(key).padStart(header.key_digits, "0")).toString("latin1");
    values[i] = name === "SET" ? valueAt((key * header.value_multiplier) % modulus, size) : undefined;
  }
  return { keys, values };

  /**
   * @param {number} start
   * @param {number} size
   */
  function valueAt(start, size) {
    const number = start * (header.value_size_max + 1) + size;
    const begin = header.block.offset + start;
    const value = distinct.get(number) ?? file.toString("latin1", begin, begin + size);
    distinct.set(number, value);
    return value;
  }
}

/**
 * @param {Error} error
 * @returns {never}
 */
function fail(error) {
  console.error(error.message);
  process.exit(1);
}
