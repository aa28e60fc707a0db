/** The Node.js runner: `node main.js --packages FOLDER`; harness/contract.md says what it reads and prints. */
import { createRequire } from "node:module";
import { resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type MakeAdapter, type Trial, Unsupported } from "./adapter.js";
import { Runner } from "./runner.js";

type Order = "connect" | "echo" | "work" | "samples" | "keep_going" | "bare";

const [, , , packages = "."] = process.argv;

/** Loads the library and prepares every command. */
async function load(trial: Trial): Promise<Runner> {
  const file = new URL(`../clients/${trial.client}/${trial.adapter.replace(".ts", ".js")}`, import.meta.url);
  const { adapter: make } = (await import(file.href)) as { adapter: MakeAdapter };
  const adapter = make(trial, createRequire(`${resolve(packages)}/`));
  // V8 enlarges the space for new objects when many of them survive. The workload must not cause that: it would take
  // 20 MB more, and a client would have another heap with a large workload than with a small one.
  setFlagsFromString("--semi-space-growth-factor=1");
  const runner = new Runner(trial, adapter);
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const versions = { ...adapter.versions, "Node.js": process.versions.node };
  const settings = { ...adapter.settings, node_options: process.env["NODE_OPTIONS"] ?? "" };
  print({ loaded: { contract: 4, versions, settings } });
  return runner;
}

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

let runner: Runner | undefined;

/** Does what a line asks: a trial, or the order of that name for the trial before. */
async function obey(line: string): Promise<void> {
  const order = JSON.parse(line);
  try {
    if ("client" in order) {
      await runner?.close();
      runner = undefined;
      runner = await load(order as Trial);
    } else if (runner) {
      const [[name, fields]] = Object.entries(order) as [[Order, never]];
      print(await runner[name](fields));
    }
  } catch (error) {
    if (!(error instanceof Unsupported)) {
      throw error;
    }
    print({ unsupported: error.message });
  }
}

try {
  for await (const line of createInterface({ input: process.stdin })) {
    await obey(line);
  }
  await runner?.end();
} catch (error) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${stack}\n${name}: ${message}\n`);
  process.exitCode = 1;
}
// Closes the connections, which would keep the event loop alive.
process.exit();
