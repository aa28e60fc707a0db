import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createClient } from "redis";
import { readWorkload } from "#runner/workload/file.js";

const BINARY = "RESPMARK_SERVER";
const ATTEMPTS = 5;
const START_MS = 10_000;

/** A server of our own on a free loopback port, and a connection to look at it with. */
export class Server {
  readonly port: number;
  readonly folder: string;
  readonly #process: ChildProcess;
  readonly #control: ReturnType<typeof createClient>;

  constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port;
    this.folder = folder;
    this.#process = child;
    this.#control = createClient({ socket: { host: "127.0.0.1", port } });
    this.#control.on("error", () => undefined);
    process.once("exit", () => child.kill("SIGKILL"));
  }

  /** Starts a server; `settings` are arguments of its command line. */
  static async start(...settings: string[]): Promise<Server> {
    for (let attempt = 1; ; attempt += 1) {
      const server = await Server.#spawn(settings);
      try {
        await server.#connect();
        return server;
      } catch (error) {
        await server.stop();
        if (attempt === ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  static async #spawn(settings: readonly string[]): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), "respmark-node-"));
    const port = await freePort();
    const base = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
    const child = spawn(serverBinary(), [...base, ...settings], { stdio: "ignore" });
    return new Server(port, folder, child);
  }

  /** Connects when the server answers; another one that took the port meanwhile is not taken for ours. */
  async #connect(): Promise<void> {
    const limit = AbortSignal.timeout(START_MS);
    const ended = once(this.#process, "exit", { signal: limit }).then(() => {
      throw new Error(`the server on port ${this.port} did not start: another program may have taken the port`);
    });
    await Promise.race([this.#control.connect(), ended]);
    const pid = await this.figure("server", "process_id");
    if (pid !== this.#process.pid) {
      throw new Error(`port ${this.port} belongs to another server, process ${pid}`);
    }
  }

  /** Sends one command. */
  command(...words: string[]): Promise<unknown> {
    return this.#control.sendCommand(words);
  }

  /** Writes the keys that a workload expects. */
  async preload(path: string): Promise<void> {
    const workload = readWorkload(path);
    const { preloadKeys, valueSizeMax } = workload.header;
    const numbers = Array.from({ length: preloadKeys }, (_, key) => key);
    await Promise.all(numbers.map((key) => this.#control.set(workload.key(key), workload.value(key, valueSizeMax))));
  }

  /** Writes what the golden workload of commands works on: five keys each of lists, hashes, sets and so on. */
  async preloadStructures(path: string): Promise<void> {
    await this.preload(path);
    const workload = readWorkload(path);
    const sizes = Array.from({ length: workload.header.valueSizeMax - 3 }, (_, place) => place + 4);
    for (let number = 0; number < 25; number += 1) {
      const key = workload.key(number);
      const values = sizes.map((size) => workload.value(number, size));
      const making = [
        ["RPUSH", key, ...values.slice(0, 8)],
        ["HSET", key, ...values.slice(0, 4).flatMap((value, field) => [`${field}`, value])],
        ["SADD", key, ...values],
        ["ZADD", key, ...values.flatMap((value) => ["1.5", value])],
        ["SET", key, "0"],
      ][Math.floor(number / 5)] as string[];
      await this.command("DEL", key);
      await this.command(...making);
    }
  }

  /** How often each command was called since the counters were reset. */
  async calls(): Promise<Record<string, number>> {
    const lines = String(await this.command("INFO", "commandstats")).matchAll(/cmdstat_([^:]+):calls=(\d+)/g);
    const ours = ["info", "config|resetstat", "hello", "client|setinfo", "client|maint_notifications", "select"];
    return Object.fromEntries(
      [...lines].map(([, name = "", calls]) => [name, Number(calls)] as const).filter(([name]) => !ours.includes(name)),
    );
  }

  /** Resolves when it has seen some more GETs than now. */
  async worked(): Promise<void> {
    const gets = async () => (await this.calls())["get"] ?? 0;
    const before = await gets();
    while ((await gets()) < before + 10) {
      await setTimeout(10);
    }
  }

  /** One figure of INFO. */
  async figure(section: string, name: string): Promise<number> {
    const text = String(await this.command("INFO", section));
    return Number(
      text
        .split("\r\n")
        .find((line) => line.startsWith(`${name}:`))
        ?.split(":")[1],
    );
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await ended;
    }
  }

  /** Stops it from answering, without closing anything. */
  freeze(): void {
    this.#process.kill("SIGSTOP");
  }

  async stop(): Promise<void> {
    this.#control.destroy();
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A port of the loopback on which nothing listens. */
export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  listener.close();
  await setTimeout(1);
  return typeof address === "object" && address !== null ? address.port : 0;
}

function serverBinary(): string {
  const candidates = [process.env[BINARY] ?? [], "valkey-server", "redis-server"].flat();
  const found = candidates.find((name) => spawnSync(name, ["--version"]).status === 0);
  if (found === undefined) {
    throw new Error(`no server to test against: install redis-server or valkey-server, or name one in ${BINARY}`);
  }
  return found;
}
