import { createRequire } from "node:module";
import * as redis from "redis";
import type { ClientDescription } from "../contract/description.js";
import type { LocalCache } from "../contract/events.js";
import { LIMITS } from "../contract/limits.js";
import type { ClientChoice, Endpoint, Shape, TransactionForm, Trial } from "../contract/trial.js";
import { Unsupported } from "../errors.js";
import type { WordType, Workload } from "../workload/workload.js";
import type { Calls, Methods } from "./calls.js";
import type { ClientError, Connect, Library, Session, Unit } from "./library.js";
import { materialise, type Rehearsal } from "./materialise.js";
import { tlsFiles } from "./tls-files.js";
import { burst } from "./units.js";

type Options = redis.AnyRedisClientOptions;
type SocketOptions = NonNullable<Options["socket"]>;
type Client = ReturnType<typeof redis.createClient>;
type Pool = ReturnType<typeof redis.createClientPool>;
type OnError = (error: unknown) => void;
type UnitMaker = (client: Client, calls: Calls) => Unit;

interface Setup {
  readonly options: Options;
  readonly onError: OnError;
  readonly calls: Calls;
}

const NO_SUPPORT = { windows: [], forms: [] } as const;
const COMMAND_TIMEOUT = "command-timeout";
const DECODE = "decode";
const BYTES = { [redis.RESP_TYPES.BLOB_STRING]: Buffer };

const description: ClientDescription = {
  library: "node-redis",
  version: installedVersion("redis"),
  dependencies: { "@redis/client": installedVersion("@redis/client") },
  options: { [COMMAND_TIMEOUT]: ["default", "off"], protocol: [3, 2], [DECODE]: ["text", "bytes"] },
  scenarios: {
    sync: NO_SUPPORT,
    pipelining: { windows: ["burst", "sliding"], forms: [] },
    batching: NO_SUPPORT,
    transaction: { windows: [], forms: ["batched"] },
    pool: NO_SUPPORT,
    "new-connection": NO_SUPPORT,
    caching: NO_SUPPORT,
  },
  differences: [
    {
      setting: "minimum of createClientPool",
      plain: "1",
      ours: "max_total",
      why: "all connections are open before the first slice, and none is closed until the end",
      scenarios: ["pool"],
    },
    {
      setting: "maxEntries of BasicClientSideCache",
      plain: "0: no limit",
      ours: "cache_entries",
      why: "the hit ratio is to follow from the shape",
      scenarios: ["caching"],
    },
    {
      setting: "invalidate() of BasicClientSideCache",
      plain: "drops an entry",
      ours: "the same, and counts those that it dropped",
      why: "the library does not count them",
      scenarios: ["caching"],
    },
  ],
};

/** The library `redis`, known as node-redis. */
export const nodeRedis: Library = { description, wordTypeOf, objection, prepare, explain };

function objection({ shape, client }: Trial): string | undefined {
  switch (shape.scenario) {
    case "threads":
      return "a client lives on one event loop, and the documentation recommends no way to share it: use processes";
    case "pipelining":
      return shape.threads === null ? undefined : "a client lives on one event loop: use processes instead of threads";
    case "transaction":
      return objectionToTransaction(shape.form, wordTypeOf(client));
    case "pool":
      return shape.maxIdle === null
        ? undefined
        : "createClientPool has no limit of idle connections: leave max_idle out";
    case "caching":
      return objectionToCaching(client);
    default:
      return undefined;
  }
}

function objectionToCaching(client: ClientChoice): string | undefined {
  if (client.options["protocol"] === 2) {
    return "it caches with RESP3 only: leave protocol as it is";
  }
  return wordTypeOf(client) === "bytes" ? "it caches nothing of a client that has a type mapping" : undefined;
}

function objectionToTransaction(form: TransactionForm, values: WordType): string | undefined {
  if (form === "queued") {
    return "multi() sends the whole block at exec(): use the form batched";
  }
  // Seen in 6.3.1: EXEC is sent without the client's command options.
  return values === "bytes" ? "exec() reads EXEC's replies without the type mapping: they are text" : undefined;
}

function wordTypeOf({ options }: ClientChoice): WordType {
  return options[DECODE] === "bytes" ? "bytes" : "text";
}

function prepare(trial: Trial, workload: Workload): Connect {
  const options = clientOptions(trial);
  const calls = materialise(workload, rehearsal());
  return (onError) => open(trial.shape, { options, onError, calls });
}

async function open(shape: Shape, setup: Setup): Promise<Session> {
  switch (shape.scenario) {
    case "sync":
      return await openOne(setup, single);
    case "pipelining":
      return shape.window === "sliding" ? await openOne(setup, single) : await openBurst(setup, shape.depth);
    case "batching":
      return await openOne(setup, batch(shape.depth), { batching_call: "multi().execAsPipeline()" });
    case "transaction":
      return await openOne(setup, transaction(shape.depth), { transaction_call: "multi().exec()" });
    case "pool":
      return await openPool(setup, shape.maxTotal);
    case "new-connection":
      return openEach(setup);
    case "caching":
      return await openCaching(setup, shape.cacheEntries);
    case "threads":
      throw new Unsupported("node-redis has no form of threads");
  }
}

/** One command. */
function single(client: Client | Pool, calls: Calls): Unit {
  const methods = methodsOf<Promise<unknown>>(client);
  return (walker) => calls.send(methods, walker.next());
}

/** `depth` commands in one flush, through the library's pipeline call. */
function batch(depth: number): UnitMaker {
  return (client, calls) => (walker) => {
    const multi = client.multi();
    const methods = methodsOf<unknown>(multi);
    for (let count = 0; count < depth; count += 1) {
      calls.send(methods, walker.next());
    }
    return multi.execAsPipeline();
  };
}

/** MULTI, `depth` commands, EXEC, in one flush. */
function transaction(depth: number): UnitMaker {
  return (client, calls) => (walker) => {
    const multi = client.multi();
    const methods = methodsOf<unknown>(multi);
    for (let count = 0; count < depth; count += 1) {
      calls.send(methods, walker.next());
    }
    return multi.exec();
  };
}

async function openOne(setup: Setup, unitOf: UnitMaker, settings: Record<string, string> = {}): Promise<Session> {
  const client = await connected(setup);
  return { unit: unitOf(client, setup.calls), settings, settle: nothing, close: () => client.destroy() };
}

/** A client with the library's cache; the cache's statistics are on as installed. */
async function openCaching(setup: Setup, entries: number): Promise<Session> {
  const cache = new CountedCache({ maxEntries: entries });
  const options = { ...setup.options, clientSideCache: cache } as Options;
  const session = await openOne({ ...setup, options }, single, { cache_entries: String(entries) });
  return { ...session, localCache: () => cache.told() };
}

/** The library's cache; it counts hits and misses itself, but not what it drops because the server said so. */
class CountedCache extends redis.BasicClientSideCache {
  #invalidations = 0;

  override invalidate(key: Parameters<redis.BasicClientSideCache["invalidate"]>[0]): void {
    const before = this.size();
    super.invalidate(key);
    this.#invalidations += before - this.size();
  }

  told(): LocalCache {
    const { hitCount, missCount } = this.stats();
    return { hits: hitCount, misses: missCount, invalidations: this.#invalidations };
  }
}

async function connected({ options, onError }: Setup): Promise<Client> {
  const client = redis.createClient(options);
  client.on("error", onError);
  await client.connect();
  return client;
}

async function openBurst(setup: Setup, depth: number): Promise<Session> {
  const client = await connected(setup);
  return { ...burst(setup.calls, methodsOf(client), depth), settings: {}, close: () => client.destroy() };
}

/** `minimum` equals `maximum`: all connections are open before the first slice, and none is closed until the end. */
async function openPool({ options, onError, calls }: Setup, maxTotal: number): Promise<Session> {
  const acquireTimeout = LIMITS.poolWaitMs;
  const pool = redis.createClientPool(options, { minimum: maxTotal, maximum: maxTotal, acquireTimeout });
  pool.on("error", onError);
  await pool.connect();
  const settings = {
    pool_call: `createClientPool(…, { minimum: ${maxTotal}, maximum: ${maxTotal} })`,
    max_wait_ms: acquireTimeout,
  };
  return { unit: single(pool, calls), settings, settle: nothing, close: () => pool.destroy() };
}

/** Connect, one command, close. */
function openEach({ options, onError, calls }: Setup): Session {
  const unit: Unit = async (walker) => {
    const client = redis.createClient(options);
    client.on("error", onError);
    try {
      await client.connect();
      const reply = await calls.send(methodsOf<Promise<unknown>>(client), walker.next());
      await client.close();
      return reply;
    } catch (error) {
      client.destroy();
      throw error;
    }
  };
  return { unit, settings: {}, settle: nothing, close: () => undefined };
}

/** As installed, except for what the trial sets. */
function clientOptions({ target, client }: Trial): Options {
  const options: Options = { socket: socketOptions(target), database: target.database };
  if (target.username !== null) {
    options.username = target.username;
  }
  if (target.password !== null) {
    options.password = target.password;
  }
  if (client.options["protocol"] === 2) {
    options.RESP = 2;
  }
  const isOff = client.options[COMMAND_TIMEOUT] === "off";
  if (isOff || wordTypeOf(client) === "bytes") {
    options.commandOptions = {
      ...(isOff ? { timeout: 0 } : {}),
      ...(wordTypeOf(client) === "bytes" ? { typeMapping: BYTES } : {}),
    };
  }
  return options;
}

function socketOptions({ address, tls }: Endpoint): SocketOptions {
  const where = "host" in address ? { host: address.host, port: address.port } : { path: address.unixSocket };
  return (tls === null ? where : { ...where, tls: true, ...tlsFiles(tls) }) as SocketOptions;
}

/** Calls methods of a batch that is never sent, and records what they would send. */
function rehearsal(): Rehearsal {
  const client = redis.createClient();
  return (method, values) => {
    const multi = client.multi() as unknown as Methods<unknown>;
    // Commands are methods of the class made for this configuration; its base class has exec, multi and the like.
    if (!Object.hasOwn(Object.getPrototypeOf(multi), method)) {
      return undefined;
    }
    let sent: readonly unknown[] | undefined;
    const listen = (words: readonly unknown[]) => {
      sent = words;
      return multi;
    };
    try {
      Object.assign(multi, { addCommand: listen })[method]?.(...values);
    } catch {
      return undefined;
    }
    return sent;
  };
}

function methodsOf<Returned>(target: object): Methods<Returned> {
  return target as unknown as Methods<Returned>;
}

function explain(error: unknown): ClientError | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof redis.MultiErrorReply) {
    return explainBatch(error);
  }
  if (isLibraryError(error)) {
    return { kind: error.constructor.name, message: error.message, code, isReply: error instanceof redis.ErrorReply };
  }
  if (typeof code === "string" && !(error instanceof TypeError) && !(error instanceof RangeError)) {
    return { kind: code, message: error.message || code, code, isReply: false };
  }
  return undefined;
}

/** A batch's error says how many commands failed; the reasons are in its replies. */
function explainBatch(error: redis.MultiErrorReply): ClientError {
  const [first] = error.errors();
  const position = error.errorIndexes[0] ?? 0;
  return {
    kind: error.constructor.name,
    message: first?.message ?? error.message,
    code: undefined,
    isReply: true,
    position,
  };
}

function isLibraryError(error: Error): boolean {
  return Object.values(redis).some(
    (exported) =>
      typeof exported === "function" &&
      exported.prototype instanceof Error &&
      error instanceof (exported as ErrorClass),
  );
}

type ErrorClass = new (...values: never[]) => Error;

function installedVersion(name: string): string {
  const { version } = createRequire(import.meta.url)(`${name}/package.json`) as { version: string };
  return version;
}

async function nothing(): Promise<void> {
  // Nothing of a failed unit stays in flight.
}
