import { once } from "node:events";
import type { Cluster, ClusterOptions, Redis, RedisOptions } from "ioredis";
import type { Adapter, MakeAdapter, Send, Sender, Trial, Value } from "../../runner/adapter.js";
import { versionOf } from "../../runner/packages.js";
import { type Server, sentinelNodes, tlsOptions, WATCHED } from "../../runner/server.js";

interface Library {
  new (options: RedisOptions): Redis;
  readonly Cluster: new (nodes: readonly object[], options: ClusterOptions) => Cluster;
}
type Client = Redis | Cluster;
type Words = [string, ...Value[]];
type Pipeline = ReturnType<Redis["pipeline"]>;
type Results = NonNullable<Awaited<ReturnType<Pipeline["exec"]>>>;

const NAME = "ioredis";

/** ioredis, or with its name a fork. */
export const adapter: MakeAdapter = (trial, load) => {
  const library = load(NAME) as Library;
  const isBytes = trial.options["decode"] === "bytes";
  const made: Adapter<Client> = {
    versions: { [NAME]: versionOf(NAME, load) },
    values: isBytes ? "bytes" : "text",
    commands: isBytes ? { ...COMMANDS, ...BYTES } : COMMANDS,
    any: (sender: Redis, words: Words) => (isBytes ? sender.callBuffer(...words) : sender.call(...words)),
    batch: { begin: (client) => client.pipeline(), run: executed, replies },
    transaction: { begin: (client) => client.multi(), run: executed, replies },
    create: creating(library, trial),
    open: trial.scenario === "new-connection" ? ready : everywhere,
    close: (client) => client.quit(),
    drop: (client) => (client as Client).disconnect(),
  };
  return made as unknown as Adapter;
};

const COMMANDS: Readonly<Record<string, (...words: never[]) => Send>> = {
  PING: () => (sender: Redis) => sender.ping(),
  GET: () => (sender: Redis, key) => sender.get(key),
  SET: (value: Value) => (sender: Redis, key) => sender.set(key, value),
  SETEX: (seconds: number, value: Value) => (sender: Redis, key) => sender.setex(key, seconds, value),
  GETRANGE: (first: number, last: number) => (sender: Redis, key) => sender.getrange(key, first, last),
  MGET: () => (sender: Redis, keys) => sender.mget(keys),
  MSET: () => (sender: Redis, pairs) => sender.mset(pairs),
  EXPIRE: (seconds: number) => (sender: Redis, key) => sender.expire(key, seconds),
  INCRBY: (by: number) => (sender: Redis, key) => sender.incrby(key, by),
  LPUSH: (value: Value) => (sender: Redis, key) => sender.lpush(key, value),
  LTRIM: (first: number, last: number) => (sender: Redis, key) => sender.ltrim(key, first, last),
  LRANGE: (first: number, last: number) => (sender: Redis, key) => sender.lrange(key, first, last),
  HGETALL: () => (sender: Redis, key) => sender.hgetall(key),
  SADD: (member: Value) => (sender: Redis, key) => sender.sadd(key, member),
  ZADD: (score: number, member: Value) => (sender: Redis, key) => sender.zadd(key, score, member),
};

/** The methods whose replies have values, where these are decoded to bytes. */
const BYTES: typeof COMMANDS = {
  GET: () => (sender: Redis, key) => sender.getBuffer(key),
  GETRANGE: (first: number, last: number) => (sender: Redis, key) => sender.getrangeBuffer(key, first, last),
  MGET: () => (sender: Redis, keys) => sender.mgetBuffer(keys),
  LRANGE: (first: number, last: number) => (sender: Redis, key) => sender.lrangeBuffer(key, first, last),
  HGETALL: () => (sender: Redis, key) => sender.hgetallBuffer(key),
};

/** A block resolves to an error and a reply for each command, whichever failed: users look for errors themselves. */
async function executed(block: Sender): Promise<unknown> {
  const results = (await (block as Pipeline).exec()) as Results;
  for (const result of results) {
    if (result[0]) {
      throw result[0];
    }
  }
  return results;
}

function replies(results: unknown): unknown[] {
  return (results as Results).map(([, reply]) => reply);
}

/** It connects by itself, emits an event when it is ready, and otherwise tries again for ever. */
async function ready(client: Client): Promise<void> {
  try {
    await once(client, "ready");
  } catch (error) {
    client.disconnect();
    throw error;
  }
}

/** It is ready when it has asked one node for the others, and connects to each of those when a command is for it. */
async function everywhere(client: Client): Promise<void> {
  await ready(client);
  if ("nodes" in client) {
    const nodes = client.nodes(client.options.scaleReads === "master" ? "master" : "all");
    const idle = nodes.filter(({ status }) => status === "wait");
    await Promise.all(idle.map((node) => node.connect()));
  }
}

/** What bounds a wait where a server is to fail, by the option `limits`; as installed, nothing is set. */
const LIMITS: Readonly<Record<string, RedisOptions>> = {
  "1s": { connectTimeout: 1_000, commandTimeout: 1_000 },
  strict: {
    connectTimeout: 1_000,
    commandTimeout: 1_000,
    socketTimeout: 1_000,
    keepAlive: 1_000,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  },
};

/** How a client is made: of a cluster, the node that is named is the one that is asked for the others. */
function creating(library: Library, trial: Trial): Adapter<Client>["create"] {
  const { cluster, host, port } = trial.server;
  if (cluster) {
    const options = clusterOptions(trial);
    return (onError) => new library.Cluster([{ host, port }], options).on("error", onError);
  }
  const options = clientOptions(trial);
  return (onError) => new library(options).on("error", onError);
}

/** Which nodes of a cluster are read from, by the option `reads`; as installed, the primaries. */
const SCALE_READS: Readonly<Record<string, "slave" | "all">> = { replica: "slave", any: "all" };

/** What a client has as its options, a cluster has as those of its nodes. */
function clusterOptions(trial: Trial): ClusterOptions {
  const { host: _host, port: _port, enableAutoPipelining, ...redisOptions } = clientOptions(trial);
  const scaleReads = SCALE_READS[String(trial.options["reads"])];
  return {
    redisOptions,
    ...(enableAutoPipelining ? { enableAutoPipelining } : {}),
    ...(scaleReads ? { scaleReads } : {}),
  };
}

/** Where the server is, or the sentinels that know. */
function placeOf(server: Server): RedisOptions {
  const { host, port, unix_socket: path, password } = server;
  const sentinels = sentinelNodes(server);
  if (sentinels) {
    return { sentinels, name: WATCHED, ...(password === null ? {} : { sentinelPassword: password }) };
  }
  return (path === null ? { host, port } : { path }) as RedisOptions;
}

/** As installed, except for what the trial sets; before version 6, there is no option `protocol`. */
function clientOptions({ server, options }: Trial): RedisOptions {
  const { tls, username, password, database: db } = server;
  return {
    ...placeOf(server),
    ...(tls === null ? {} : { tls: tlsOptions(tls) }),
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(db === 0 ? {} : { db }),
    ...(options["protocol"] === 2 ? { protocol: 2 } : {}),
    ...(options["auto-pipelining"] === "on" ? { enableAutoPipelining: true } : {}),
    ...LIMITS[String(options["limits"])],
  } as RedisOptions;
}
