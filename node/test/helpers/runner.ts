import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ProgressEvent, ReadyEvent, ResultEvent } from "#runner/contract/events.js";
import { goldenPath } from "./contract.js";

/** A runner that hangs must not hang the tests. */
const LONGEST_MS = 30_000;
const FOLDER = new URL("../../../", import.meta.url);

/** How a runner ended. */
export interface Ending {
  readonly exitCode: number | null;
  readonly lastLine: string;
  readonly stderr: string;
}

/** A trial that is right but for what `changes` say; fields of `client`, `workload` and `target` are merged. */
// biome-ignore lint/suspicious/noExplicitAny: a trial on its way to the runner may be anything, wrong things above all
export function trial(port: number, changes: Record<string, any> = {}): Record<string, any> {
  return {
    schema_version: 1,
    trial_id: "test",
    scenario: "sync",
    shape: {},
    warmup_s: 0.02,
    measure_s: 0.1,
    verify_commands: 20,
    ...changes,
    client: { library: "node-redis", ...changes["client"] },
    workload: { path: goldenPath("golden.workload"), ...changes["workload"] },
    target: changes["target"] ?? { host: "127.0.0.1", port },
  };
}

/** A running runner (or bare loop) and what it says. */
export class Runner {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: NodeJS.AsyncIterator<string>;
  readonly #stderr: Promise<string>;
  readonly #exit: Promise<unknown[]>;

  constructor(...words: string[]) {
    const environment = { ...process.env, RESPMARK_DEBUG: "0", NODE_OPTIONS: "" };
    this.#child = spawn(process.execPath, words, { cwd: fileURLToPath(FOLDER), env: environment, timeout: LONGEST_MS });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#stderr = text(this.#child.stderr);
    this.#exit = once(this.#child, "exit");
    this.#child.stdin.on("error", () => undefined);
  }

  /** The runner with a trial already on its standard input. */
  static with(request: object): Runner {
    const runner = new Runner("dist/main.js", "run");
    runner.write(JSON.stringify(request));
    return runner;
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  closeInput(): void {
    this.#child.stdin.end();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** The next event, or undefined when it says no more. */
  async event<Event>(): Promise<Event | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : JSON.parse(value);
  }

  /** The `ready` event, or the runner's own complaint. */
  async ready(): Promise<ReadyEvent> {
    const event = await this.event<ReadyEvent>();
    if (event === undefined) {
      throw new Error(`no ready: ${await this.#stderr}`);
    }
    return event;
  }

  /** Says `go` and waits for the result; standard input stays open. */
  async measured(): Promise<{ readonly result: ResultEvent; readonly progress: readonly ProgressEvent[] }> {
    this.write('{"event":"go"}');
    const progress: ProgressEvent[] = [];
    for (;;) {
      const event = await this.event<ProgressEvent | ResultEvent>();
      if (event === undefined) {
        throw new Error(`no result: ${await this.#stderr}`);
      }
      if (event.event === "result") {
        return { result: event, progress };
      }
      progress.push(event);
    }
  }

  /** Waits for the end. */
  async ended(): Promise<Ending> {
    const [exitCode] = await this.#exit;
    const stderr = await this.#stderr;
    return { exitCode: exitCode as number | null, stderr, lastLine: stderr.trimEnd().split("\n").at(-1) ?? "" };
  }
}

/** A trial that is expected to fail: from its line to its end. */
export async function failing(request: object | string): Promise<Ending> {
  const runner = new Runner("dist/main.js", "run");
  runner.write(typeof request === "string" ? request : JSON.stringify(request));
  if ((await runner.event()) !== undefined) {
    runner.write('{"event":"go"}');
    await runner.event();
  }
  runner.closeInput();
  return await runner.ended();
}
