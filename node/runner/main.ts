/** The Node.js runner: `node main.js --packages FOLDER`; harness/contract.md says what it reads and prints. */
import { createRequire } from "node:module";
import { resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { type MakeAdapter, Unsupported } from "./adapter.js";
import type { Order, Trial } from "./contract.js";
import { makeLasting } from "./garbage.js";
import { Runner } from "./runner.js";
import { Workload } from "./workload.js";

const [, , , packages = "."] = process.argv;

/** Loads the library and prepares every command. */
async function load(trial: Trial): Promise<Runner> {
  const file = new URL(`../clients/${trial.client}/${trial.adapter.replace(".ts", ".js")}`, import.meta.url);
  const { adapter: make } = (await import(file.href)) as { adapter: MakeAdapter };
  const adapter = make(trial, createRequire(`${resolve(packages)}/`));
  const runner = makeLasting(() => new Runner(trial, adapter, new Workload(trial.workload, adapter.values)));
  const settings = {
    ...adapter.settings,
    node_options: process.env["NODE_OPTIONS"] ?? "",
    uv_threadpool_size: Number(process.env["UV_THREADPOOL_SIZE"] ?? 4),
  };
  const versions = { ...adapter.versions, "Node.js": process.versions.node };
  print({ loaded: { contract: 3, versions, settings } });
  return runner;
}

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

let runner: Runner | undefined;
try {
  for await (const line of createInterface({ input: process.stdin })) {
    if (runner) {
      print(await runner.obey(JSON.parse(line) as Order));
    } else {
      runner = await load(JSON.parse(line) as Trial);
    }
  }
  runner?.close();
} catch (error) {
  if (!(error instanceof Unsupported)) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    process.stderr.write(`${stack}\n${name}: ${message}\n`);
    process.exit(1);
  }
  print({ unsupported: error.message });
}
