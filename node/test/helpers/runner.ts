import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { LoadedEvent, ReadyEvent, ResultEvent, RunnerEvent, SliceEvent } from "#runner/contract/events.js";
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
    schema_version: 2,
    trial_id: "test",
    scenario: "sync",
    shape: {},
    verify_commands: 20,
    ...changes,
    client: { library: "node-redis", ...changes["client"] },
    workload: { path: goldenPath("golden.workload"), ...changes["workload"] },
    target: changes["target"] ?? { host: "127.0.0.1", port },
  };
}

/** An order of a slice that is right but for what `changes` say. */
export function sliceOrder(changes: object = {}): object {
  const times = { duration_ns: 50_000_000, lead_in_ns: 20_000_000 };
  return { order: "slice", slice: 1, ...times, first_command: 0, keep_samples: true, ...changes };
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
    const line = await this.line();
    return line === undefined ? undefined : JSON.parse(line);
  }

  /** The next line on standard output, or undefined when there is none. */
  async line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  /** Orders `connect`; the `ready` event. */
  async ready(): Promise<ReadyEvent> {
    await this.expected<LoadedEvent>("loaded");
    return await this.ordered<ReadyEvent>({ order: "connect" }, "ready");
  }

  /** Orders one slice; its answer. */
  slice(changes: object = {}): Promise<SliceEvent> {
    return this.ordered(sliceOrder(changes), "slice");
  }

  /** Orders `finish`; standard input stays open. */
  finish(): Promise<ResultEvent> {
    return this.ordered({ order: "finish" }, "result");
  }

  /** Gives an order and waits for the event that answers it. */
  ordered<Event extends RunnerEvent>(order: object, name: Event["event"]): Promise<Event> {
    this.write(JSON.stringify(order));
    return this.expected(name);
  }

  /** The next event, which must be this one; otherwise the runner's own complaint. */
  async expected<Event extends RunnerEvent>(name: Event["event"]): Promise<Event> {
    const event = await this.event<Event>();
    if (event?.event !== name) {
      throw new Error(`${name} was due, not ${JSON.stringify(event)}: ${event ?? (await this.#stderr)}`);
    }
    return event;
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
  for (const order of [{ order: "connect" }, sliceOrder({ duration_ns: 60e9, lead_in_ns: 0 })]) {
    if ((await runner.event()) === undefined) {
      break;
    }
    runner.write(JSON.stringify(order));
  }
  await runner.event();
  runner.closeInput();
  return await runner.ended();
}
