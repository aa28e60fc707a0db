import type { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import type { ClientDescription } from "../contract/description.js";
import type { Endpoint, Trial } from "../contract/trial.js";
import { Unsupported } from "../errors.js";
import type { Workload } from "../workload/workload.js";
import type { Calls, Methods } from "./calls.js";
import type { ClientError, Connect, Library, Session, Unit } from "./library.js";
import { materialise } from "./materialise.js";
import { tlsFiles } from "./tls-files.js";
import { burst } from "./units.js";

type Callback = (error: Error | null, reply: unknown) => void;
type ErrorClass = new (...values: never[]) => Error;

/** The parts of node-redis 3 that are used; it has no types, and its methods take a callback after their arguments. */
interface Redis {
  createClient(options: object): Client;
  readonly RedisClient: { readonly prototype: Client };
  readonly Multi: new (client: null) => Batch;
  readonly RedisError: ErrorClass;
  readonly ReplyError: ErrorClass;
}

interface Client extends EventEmitter {
  batch(): Batch;
  multi(): Batch;
  quit(callback: Callback): void;
  end(flush: boolean): void;
}

interface Batch {
  readonly queue: { pop(): { readonly command: string; readonly args: readonly unknown[] } | undefined };
  exec(callback: (error: Error | null, replies: readonly unknown[]) => void): void;
}

interface Setup {
  readonly options: object;
  readonly onError: (error: unknown) => void;
  readonly calls: Calls;
  readonly promised: Promised;
}

type Method = (...values: readonly unknown[]) => Promise<unknown>;
/** The methods that the workload calls, promisified once, then bound to each client. */
type Promised = readonly (readonly [name: string, method: Method])[];

/** Loads from this version's folder; the package of the same name in the folders above is another version. */
const load = createRequire(new URL("../../environments/node-redis-3.1.2/package.json", import.meta.url));
const redis = load("./node_modules/redis") as Redis;

const NO_SUPPORT = { windows: [], forms: [] } as const;

const description: ClientDescription = {
  library: "node-redis",
  version: installedVersion("redis"),
  dependencies: { "redis-parser": installedVersion("redis-parser") },
  options: { "command-timeout": ["off"], protocol: [2], decode: ["text"] },
  scenarios: {
    sync: NO_SUPPORT,
    pipelining: { windows: ["burst", "sliding"], forms: [] },
    batching: NO_SUPPORT,
    transaction: { windows: [], forms: ["batched"] },
    "new-connection": NO_SUPPORT,
  },
  differences: [],
};

/** node-redis before its version 4: callbacks, a `batch()` beside `multi()`, and no pool. */
export const nodeRedis3: Library = { description, wordTypeOf: () => "text", objection, prepare, explain };

function objection({ shape }: Trial): string | undefined {
  switch (shape.scenario) {
    case "threads":
      return "a client lives on one event loop, and the documentation recommends no way to share it: use processes";
    case "pool":
      return "node-redis 3 has no pool";
    case "caching":
      return "node-redis 3 has no client-side caching";
    case "pipelining":
      return shape.threads === null ? undefined : "a client lives on one event loop: use processes instead of threads";
    case "transaction":
      return shape.form === "queued" ? "multi() sends the whole block at exec(): use the form batched" : undefined;
    default:
      return undefined;
  }
}

function prepare({ shape, target }: Trial, workload: Workload): Connect {
  const calls = materialise(workload, rehearse);
  const promised = promisedOf(workload.header.mix.map(({ name }) => name.split(" ").join("_").toUpperCase()));
  const options = clientOptions(target);
  return async (onError) => {
    const setup = { options, onError, calls, promised };
    if (shape.scenario === "new-connection") {
      return { unit: connecting(setup), settings: {}, settle: nothing, close: () => undefined };
    }
    const client = await connected(setup);
    const session = { settings: {}, settle: nothing, close: () => client.end(false) };
    switch (shape.scenario) {
      case "sync":
        return { ...session, unit: single(client, setup) };
      case "pipelining":
        return shape.window === "sliding"
          ? { ...session, unit: single(client, setup) }
          : { ...session, ...burst(calls, bound(client, promised), shape.depth) };
      case "batching":
        return { ...session, ...block(() => client.batch(), calls, shape.depth, { batching_call: "batch().exec()" }) };
      case "transaction":
        return {
          ...session,
          ...block(() => client.multi(), calls, shape.depth, { transaction_call: "multi().exec()" }),
        };
      default:
        throw new Unsupported(`node-redis 3 has no ${shape.scenario}`);
    }
  };
}

const quit = promisify(redis.RedisClient.prototype.quit);

/** Methods promisified as the documentation shows. */
function promisedOf(names: readonly string[]): Promised {
  const methods = redis.RedisClient.prototype as unknown as Readonly<Record<string, () => void>>;
  return names.map((name) => [name, promisify(methods[name] as () => void) as Method]);
}

function bound(client: Client, promised: Promised): Methods<Promise<unknown>> {
  return Object.fromEntries(promised.map(([name, method]) => [name, method.bind(client)])) as Methods<Promise<unknown>>;
}

function single(client: Client, { calls, promised }: Setup): Unit {
  const methods = bound(client, promised);
  return (walker) => calls.send(methods, walker.next());
}

/** `depth` commands in one flush, for a transaction together with MULTI and EXEC. */
function block(
  begin: () => Batch,
  calls: Calls,
  depth: number,
  settings: Session["settings"],
): Pick<Session, "unit" | "settings"> {
  const unit: Unit = (walker) => {
    const batch = begin();
    const methods = batch as unknown as Methods<unknown>;
    for (let count = 0; count < depth; count += 1) {
      calls.send(methods, walker.next());
    }
    return executed(batch);
  };
  return { unit, settings };
}

/** Errors of single commands are among the replies. */
function executed(batch: Batch): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    batch.exec((error, replies) => {
      const failed = error ?? replies.find((reply) => reply instanceof Error);
      if (failed) {
        reject(failed);
      } else {
        resolve(replies);
      }
    });
  });
}

/** Connect, one command, close. */
function connecting(setup: Setup): Unit {
  return async (walker) => {
    const client = await connected(setup);
    try {
      const reply = await single(client, setup)(walker);
      await quit.call(client);
      return reply;
    } catch (error) {
      client.end(false);
      throw error;
    }
  };
}

/** It connects by itself, and emits an event when it is ready. */
function connected({ options, onError }: Setup): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = redis.createClient(options);
    const fail = (error: unknown) => {
      client.end(false);
      reject(error);
    };
    client.on("error", onError);
    client.once("error", fail);
    client.once("ready", () => {
      client.off("error", fail);
      resolve(client);
    });
  });
}

/** As installed, except for the target. */
function clientOptions({ address, tls, username, password, database }: Endpoint): object {
  return {
    ...("host" in address ? { host: address.host, port: address.port } : { path: address.unixSocket }),
    ...(tls === null ? {} : { tls: tlsFiles(tls) }),
    ...(username === null ? {} : { user: username }),
    ...(password === null ? {} : { password }),
    ...(database === 0 ? {} : { db: database }),
  };
}

/** Calls methods of a batch without a client, and reads what the batch queues; numbers are sent as text. */
function rehearse(method: string, values: readonly unknown[]): readonly unknown[] | undefined {
  const batch = new redis.Multi(null);
  try {
    (batch as unknown as Methods<unknown>)[method]?.(...values);
  } catch {
    return undefined;
  }
  const held = batch.queue.pop();
  return held && [held.command, ...held.args.map((word) => (typeof word === "number" ? String(word) : word))];
}

function explain(error: unknown): ClientError | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  const { code, position } = error as NodeJS.ErrnoException & { position?: number };
  if (isA(redis.RedisError, error)) {
    const isReply = isA(redis.ReplyError, error);
    const at = position === undefined ? {} : { position };
    return { kind: error.constructor.name, message: error.message, code: isReply ? undefined : code, isReply, ...at };
  }
  if (typeof code === "string" && !(error instanceof TypeError) && !(error instanceof RangeError)) {
    return { kind: code, message: error.message || code, code, isReply: false };
  }
  return undefined;
}

function isA(type: ErrorClass, error: Error): boolean {
  return error instanceof type;
}

function installedVersion(name: string): string {
  const { version } = load(`./node_modules/${name}/package.json`) as { version: string };
  return version;
}

async function nothing(): Promise<void> {
  // Nothing of a failed unit stays in flight.
}
