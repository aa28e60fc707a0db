/**
 * A program that starts, sends one command and has its reply; it says how long each stage took: `node cold_start.js
 * --packages FOLDER`, as harness/contract.md says under "Cold start". Its own modules are loaded after its first line.
 */
import process from "node:process";
import type { MakeAdapter, Trial } from "./adapter.js";

const MAIN_NS = process.hrtime.bigint();

const { createRequire } = await import("node:module");
const { resolve: absolute } = await import("node:path");
const { createInterface } = await import("node:readline");
const { Unsupported } = await import("./adapter.js");
const { readCommands } = await import("./workload.js");

const [, , , packages = "."] = process.argv;

/** Takes a library from its import to its first reply; returns how long that took. */
async function start(trial: Trial, fail: (error: Error) => void): Promise<object> {
  const file = new URL(`../clients/${trial.client}/${trial.adapter.replace(".ts", ".js")}`, import.meta.url);
  const [adapter, loadNs] = await timed(async () => {
    const { adapter: make } = (await import(file.href)) as { adapter: MakeAdapter };
    return make(trial, createRequire(`${absolute(packages)}/`));
  });
  const { send } = readCommands(trial.workload, adapter);
  const [client, createNs] = await timed(() => adapter.create(fail));
  const [, connectNs] = await timed(() => adapter.open?.(client));
  const [reply, firstNs] = await timed(() => send(client, 0));
  await adapter.close(client);
  const { encoded } = await import("./runner.js");
  return {
    main_ns: Number(MAIN_NS),
    load_ns: loadNs,
    create_ns: createNs,
    ...(adapter.open ? { connect_ns: connectNs } : {}),
    first_ns: firstNs,
    reply: encoded(adapter.plain ? adapter.plain(reply) : reply),
    versions: { ...adapter.versions, "Node.js": process.versions.node },
  };
}

/** Returns what a stage returns, and the nanoseconds that it took. */
async function timed<T>(stage: () => T | Promise<T>): Promise<[T, number]> {
  const began = process.hrtime.bigint();
  const result = await stage();
  return [result, Number(process.hrtime.bigint() - began)];
}

/** The answer to the first line, which is the only one. */
async function answer(): Promise<object> {
  const { value: line } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
  try {
    // A library that cannot connect would keep trying for ever: its first error is final.
    return await new Promise<object>((resolve, reject) => {
      start(JSON.parse(line) as Trial, reject).then((started) => resolve({ started }), reject);
    });
  } catch (error) {
    if (!(error instanceof Unsupported)) {
      throw error;
    }
    return { unsupported: error.message };
  }
}

try {
  process.stdout.write(`${JSON.stringify(await answer())}\n`);
} catch (error) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${stack}\n${name}: ${message}\n`);
  process.exitCode = 1;
}
process.exit();
