/**
 * What one latency record costs, in nanoseconds and as a share of a `sync` operation.
 *
 * A record is what the measured loop does for each unit: one look at the clock, one subtraction, one store. It spawns a
 * server of its own (the binary that RESPMARK_SERVER names, else valkey-server or redis-server). Run it on a quiet
 * machine: `npm run bench:recording`. It shows figures and asserts nothing.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { performance } from "node:perf_hooks";
import { createClient } from "redis";
import { Samples } from "../dist/recorder/samples.js";

const RECORDS = 2_000_000;
const REPETITIONS = 7;
const SYNC_MS = 500;
const NS_PER_MS = 1e6;

const recorder = new Samples(RECORDS + 1);
const clock = median(() => timed(readClock) / RECORDS);
const record = median(() => timed(() => recordSamples(false)) / RECORDS);
const fold = median(foldSamples);
const sync = await syncOperation();

console.log(`one look at the clock            ${clock.toFixed(1).padStart(9)} ns`);
console.log(`one record, clock included       ${record.toFixed(1).padStart(9)} ns`);
console.log(`folding one, between slices      ${fold.toFixed(1).padStart(9)} ns`);
console.log(`one sync operation (PING)        ${sync.toFixed(0).padStart(9)} ns`);
console.log(`a record's share of it           ${((100 * record) / sync).toFixed(3).padStart(9)} %`);

function readClock() {
  let last = 0;
  for (let count = 0; count < RECORDS; count += 1) {
    last = performance.now();
  }
  return last;
}

/** @param {boolean} isKept */
function recordSamples(isKept) {
  recorder.begin(isKept);
  let start = performance.now();
  for (let count = 0; count < RECORDS; count += 1) {
    const end = performance.now();
    recorder.add(end - start);
    start = end;
  }
  recorder.end();
}

function foldSamples() {
  recordSamples(true);
  return timed(() => recorder.summary()) / RECORDS;
}

/** @param {() => unknown} work */
function timed(work) {
  const begin = performance.now();
  work();
  return (performance.now() - begin) * NS_PER_MS;
}

/** @param {() => number} measure */
function median(measure) {
  const figures = Array.from({ length: REPETITIONS }, measure).sort((one, other) => one - other);
  return figures[(REPETITIONS - 1) / 2];
}

async function syncOperation() {
  const port = await freePort();
  const server = spawn(serverBinary(), ["--port", `${port}`, "--bind", "127.0.0.1", "--save", ""], { stdio: "ignore" });
  try {
    const client = createClient({ socket: { host: "127.0.0.1", port } });
    client.on("error", () => undefined);
    await client.connect();
    await pings(client);
    const cost = await pings(client);
    client.destroy();
    return cost;
  } finally {
    server.kill();
  }
}

/** @param {{ ping(): Promise<unknown> }} client */
async function pings(client) {
  const begin = performance.now();
  let count = 0;
  do {
    await client.ping();
    count += 1;
  } while (performance.now() < begin + SYNC_MS);
  return ((performance.now() - begin) * NS_PER_MS) / count;
}

async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (listener.address());
  listener.close();
  return port;
}

function serverBinary() {
  const { RESPMARK_SERVER } = process.env;
  const candidates = [...(RESPMARK_SERVER ? [RESPMARK_SERVER] : []), "valkey-server", "redis-server"];
  const found = candidates.find((name) => spawnSync(name, ["--version"]).status === 0);
  if (found === undefined) {
    throw new Error("no server found: install redis-server or valkey-server, or name one in RESPMARK_SERVER");
  }
  return found;
}
