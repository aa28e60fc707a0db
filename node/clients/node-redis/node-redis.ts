import type * as Redis from "redis";
import type { Adapter, MakeAdapter, Send, Sender, Trial, Value } from "../../runner/adapter.js";
import { type Server, sentinelNodes, tlsOptions, WATCHED } from "../../runner/server.js";

type Options = Redis.AnyRedisClientOptions;
type Client = ReturnType<typeof Redis.createClient>;
type Cluster = ReturnType<typeof Redis.createCluster>;
type ClusterOptions = Parameters<typeof Redis.createCluster>[0];
type Sentinel = ReturnType<typeof Redis.createSentinel>;
type SentinelOptions = Parameters<typeof Redis.createSentinel>[0];
type Multi = ReturnType<Client["multi"]>;
type Pool = ReturnType<typeof Redis.createClientPool>;

interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The library `redis` from version 4 on; commands of one turn of the event loop are written in one flush. */
export const adapter: MakeAdapter = (trial, load) => {
  const redis = load("redis") as typeof Redis;
  const { version, dependencies } = load("redis/package.json") as Package;
  const inner = Object.keys(dependencies).find((name) => name.endsWith("/client")) as string;
  const cache = trial.scenario === "caching" ? countedCache(redis, trial) : undefined;
  const options = clientOptions(redis, trial, Number.parseInt(version, 10));
  const asked = cache ? ({ ...options, clientSideCache: cache } as Options) : options;
  const { cluster } = trial.server;
  const made: Adapter<Client & Sender> = {
    versions: { "node-redis": version, [inner]: (load(`${inner}/package.json`) as Package).version },
    values: trial.options["decode"] === "bytes" ? "bytes" : "text",
    commands: COMMANDS,
    any: anyCommand(trial.server),
    ...(cluster ? { words: routed } : {}),
    batch: { begin: (client) => client.multi() as Sender, run: (multi) => (multi as Multi).execAsPipeline() },
    transaction: { begin: (client) => client.multi() as Sender, run: (multi) => (multi as Multi).exec() },
    create: (onError) => created(redis, asked, trial).on("error", onError) as Client & Sender,
    open: (client) => client.connect(),
    // All connections are open before the first slice, and none is closed until the end.
    pool: async (maxTotal, waitMs, onError) => {
      const pool = redis.createClientPool(options, { minimum: maxTotal, maximum: maxTotal, acquireTimeout: waitMs });
      pool.on("error", onError);
      return (await pool.connect()) as Pool & Sender;
    },
    // Version 4 calls them quit and disconnect.
    close: (client) => ("close" in client ? client.close() : (client as Client).quit()),
    drop: (sender) => ("destroy" in sender ? (sender as Client | Pool).destroy() : (sender as Client).disconnect()),
    ...(cache ? { cache: () => cache.news() } : {}),
    explain: firstOfBlock,
  };
  return made as unknown as Adapter;
};

function created(redis: typeof Redis, options: Options, trial: Trial): Client | Cluster | Sentinel {
  if (trial.server.cluster) {
    return redis.createCluster(clusterOptions(options, trial));
  }
  return trial.server.sentinels
    ? redis.createSentinel(sentinelOptions(options, trial.server))
    : redis.createClient(options);
}

/** The method that sends any command. */
function anyCommand({ cluster, sentinels }: Server): Send {
  if (cluster) {
    return sentToCluster as Send;
  }
  return (sentinels ? sentToPrimary : sent) as Send;
}

function sent(sender: Client | Multi, words: string[]): unknown {
  return "addCommand" in sender ? sender.addCommand(words) : sender.sendCommand(words);
}

/** Any command of a cluster: its first key, which says where it goes, and its words. */
type Routed = readonly [key: string | undefined, words: string[]];

function routed(words: Value[], keys: readonly string[]): Routed {
  return [keys[0], words as string[]];
}

function sentToCluster(sender: Cluster | ReturnType<Cluster["multi"]>, [key, words]: Routed): unknown {
  return "addCommand" in sender ? sender.addCommand(key, false, words) : sender.sendCommand(key, false, words);
}

/** Any command of a primary that sentinels name; none is for a replica. */
function sentToPrimary(sender: Sentinel | ReturnType<Sentinel["multi"]>, words: string[]): unknown {
  return "addCommand" in sender ? sender.addCommand(false, words) : sender.sendCommand(false, words);
}

/** What the first error of a block says; some versions have its class and do not export it. */
function firstOfBlock(error: Error): string | undefined {
  const { errors } = error as Partial<Redis.MultiErrorReply>;
  return typeof errors === "function" ? [...errors.call(error)][0]?.message : undefined;
}

const COMMANDS: Readonly<Record<string, (...words: never[]) => Send>> = {
  PING: () => (sender: Client) => sender.ping(),
  GET: () => (sender: Client, key) => sender.get(key),
  SET: (value: Value) => (sender: Client, key) => sender.set(key, value),
  SETEX: (seconds: number, value: Value) => (sender: Client, key) => sender.setEx(key, seconds, value),
  GETRANGE: (first: number, last: number) => (sender: Client, key) => sender.getRange(key, first, last),
  MGET: () => (sender: Client, keys) => sender.mGet(keys),
  MSET: () => (sender: Client, pairs) => sender.mSet(pairs),
  EXPIRE: (seconds: number) => (sender: Client, key) => sender.expire(key, seconds),
  INCRBY: (by: number) => (sender: Client, key) => sender.incrBy(key, by),
  LPUSH: (value: Value) => (sender: Client, key) => sender.lPush(key, value),
  LTRIM: (first: number, last: number) => (sender: Client, key) => sender.lTrim(key, first, last),
  LRANGE: (first: number, last: number) => (sender: Client, key) => sender.lRange(key, first, last),
  HGETALL: () => (sender: Client, key) => sender.hGetAll(key),
  SADD: (member: Value) => (sender: Client, key) => sender.sAdd(key, member),
  ZADD: (score: number, value: Value) => {
    const member = { score, value };
    return (sender: Client, key) => sender.zAdd(key, member);
  },
};

/** As installed, except for what the trial sets: before version 6, commands have no timeout, and RESP2 is installed. */
function clientOptions(redis: typeof Redis, { server, options }: Trial, major: number): Options {
  const [installed, isTimed] = major < 6 ? [2, false] : [3, true];
  const limits = LIMITS[String(options["limits"])];
  const commandOptions = {
    ...limits?.command,
    ...(isTimed && options["command-timeout"] === "off" ? { timeout: 0 } : {}),
    ...(options["decode"] === "bytes" ? { typeMapping: { [redis.RESP_TYPES.BLOB_STRING]: Buffer } } : {}),
  };
  return {
    socket: { ...socketOptions(server), ...limits?.socket },
    database: server.database,
    ...(server.username === null ? {} : { username: server.username }),
    ...(server.password === null ? {} : { password: server.password }),
    ...(options["protocol"] === installed ? {} : { RESP: options["protocol"] }),
    ...(Object.keys(commandOptions).length > 0 ? { commandOptions } : {}),
  } as Options;
}

/** A cluster asks the node that is named for all others, whose clients have everything else. */
function clusterOptions(options: Options, { options: asked }: Trial): ClusterOptions {
  const { socket, RESP, commandOptions, clientSideCache, database: _database, ...rest } = options;
  const { host, port, ...shared } = socket as { host: string; port: number };
  return {
    rootNodes: [{ socket: { host, port } }],
    defaults: { ...rest, socket: shared },
    ...(RESP === undefined ? {} : { RESP }),
    ...(commandOptions === undefined ? {} : { commandOptions }),
    ...(clientSideCache === undefined ? {} : { clientSideCache }),
    ...(asked["reads"] === "any" ? { useReplicas: true } : {}),
  } as ClusterOptions;
}

/** A client that asks sentinels for the primary, whose client has everything else. */
function sentinelOptions(options: Options, server: Server): SentinelOptions {
  const { socket, RESP, commandOptions, clientSideCache, ...rest } = options;
  const { host: _host, port: _port, ...shared } = socket as { host: string; port: number };
  const { password } = rest;
  return {
    name: WATCHED,
    sentinelRootNodes: sentinelNodes(server) ?? [],
    nodeClientOptions: { ...rest, socket: shared },
    sentinelClientOptions: { socket: shared, ...(password === undefined ? {} : { password }) },
    ...(RESP === undefined ? {} : { RESP }),
    ...(commandOptions === undefined ? {} : { commandOptions }),
    ...(clientSideCache === undefined ? {} : { clientSideCache }),
  } as SentinelOptions;
}

/**
 * What bounds a wait where a server is to fail, by the option `limits`; as installed, nothing is set. A client whose
 * socket has timed out is closed for good, unless `reconnectStrategy` says otherwise.
 */
const LIMITS: Readonly<Record<string, { readonly socket: object; readonly command: object }>> = {
  "1s": { socket: { connectTimeout: 1_000 }, command: { timeout: 1_000 } },
  strict: {
    socket: {
      connectTimeout: 1_000,
      socketTimeout: 1_000,
      keepAliveInitialDelay: 1_000,
      reconnectStrategy: (retries: number) => Math.min(2 ** retries * 50, 1_000),
    },
    command: { timeout: 1_000 },
  },
};

function socketOptions({ host, port, unix_socket: path, tls }: Server): object {
  return { ...(path === null ? { host, port } : { path }), ...(tls === null ? {} : { tls: true, ...tlsOptions(tls) }) };
}

/** The library's cache; it counts hits and misses itself, but not what it drops because the server said so. */
function countedCache(redis: typeof Redis, { shape, server }: Trial) {
  const OfLibrary = server.cluster || server.sentinels ? redis.BasicPooledClientSideCache : redis.BasicClientSideCache;
  class CountedCache extends OfLibrary {
    #invalidations = 0;
    #before = { hits: 0, misses: 0 };

    override invalidate(key: Parameters<Redis.BasicClientSideCache["invalidate"]>[0]): void {
      const before = this.size();
      super.invalidate(key);
      this.#invalidations += before - this.size();
    }

    /** What has happened since it was last asked. */
    news(): object {
      const { hitCount: hits, missCount: misses } = this.stats();
      const { hits: hitsBefore, misses: missesBefore } = this.#before;
      const news = { hits: hits - hitsBefore, misses: misses - missesBefore, invalidations: this.#invalidations };
      [this.#before, this.#invalidations] = [{ hits, misses }, 0];
      return news;
    }
  }
  return new CountedCache({ maxEntries: shape.cache_entries ?? 1 });
}
