import { readFileSync } from "node:fs";
import type * as Glide from "@valkey/valkey-glide";
import {
  type Adapter,
  type MakeAdapter,
  type Send,
  type Trial,
  Unsupported,
  type Value,
} from "../../runner/adapter.js";
import { versionOf } from "../../runner/packages.js";
import type { Tls } from "../../runner/server.js";

type Client = Glide.GlideClient | Glide.GlideClusterClient;
type Configuration = Glide.GlideClientConfiguration & Glide.GlideClusterClientConfiguration;

const NAME = "@valkey/valkey-glide";
const LONG_MS = 10_000;
/** What bounds a wait where a server is to fail, by the option `limits`; as installed, nothing is set. */
const LIMITS_MS: Readonly<Record<string, number>> = { "1s": 1_000, strict: 1_000 };

/** Valkey GLIDE: a client has one connection, which is served by a thread of its own core. */
export const adapter: MakeAdapter = (trial, load) => {
  const glide = load(NAME) as typeof Glide;
  glide.Logger.setLoggerConfig("off");
  const configuration = clientConfiguration(glide, trial);
  const { cluster } = trial.server;
  const [Batch, GlideClient] = cluster
    ? [glide.ClusterBatch, glide.GlideClusterClient]
    : [glide.Batch, glide.GlideClient];
  const run = (batch: object, client: Client) => client.exec(batch as Glide.Batch & Glide.ClusterBatch, true);
  const made: Adapter<Client> = {
    versions: { "valkey-glide-node": versionOf(NAME, load) },
    settings: { native_core: "Rust" },
    values: trial.options["decode"] === "bytes" ? "bytes" : "text",
    commands: COMMANDS,
    // SETEX is one of these: set() with an expiry sends another command.
    any: (sender: Client, words: Value[]) => sender.customCommand(words),
    pairs: recordOf,
    plain: mapped,
    batch: { begin: () => new Batch(false), run },
    transaction: { begin: () => new Batch(true), run },
    create: () => GlideClient.createClient(configuration),
    close: async (client) => client.close(),
    drop: (client) => (client as Client).close(),
  };
  return made as unknown as Adapter;
};

const COMMANDS: Readonly<Record<string, (...words: never[]) => Send>> = {
  PING: () => (sender: Client) => sender.ping(),
  GET: () => (sender: Client, key) => sender.get(key),
  SET: (value: Value) => (sender: Client, key) => sender.set(key, value),
  GETRANGE: (first: number, last: number) => (sender: Client, key) => sender.getrange(key, first, last),
  MGET: () => (sender: Client, keys) => sender.mget(keys),
  MSET: () => (sender: Client, record) => sender.mset(record),
  EXPIRE: (seconds: number) => (sender: Client, key) => sender.expire(key, seconds),
  INCRBY: (by: number) => (sender: Client, key) => sender.incrBy(key, by),
  LPUSH: (value: Value) => {
    const elements = [value];
    return (sender: Client, key) => sender.lpush(key, elements);
  },
  LTRIM: (first: number, last: number) => (sender: Client, key) => sender.ltrim(key, first, last),
  LRANGE: (first: number, last: number) => (sender: Client, key) => sender.lrange(key, first, last),
  HGETALL: () => (sender: Client, key) => sender.hgetall(key),
  SADD: (member: Value) => {
    const members = [member];
    return (sender: Client, key) => sender.sadd(key, members);
  },
  ZADD: (score: number, element: Value) => {
    const members = [{ element, score }];
    return (sender: Client, key) => sender.zadd(key, members);
  },
};

/** Keys, each with its value behind it, as mset() takes them. */
function recordOf(words: readonly unknown[]): object {
  return Object.fromEntries(words.flatMap((word, index) => (index % 2 ? [] : [[word, words[index + 1]]])));
}

/** A map is a list of fields, or in a batch of keys, with their values. */
function mapped(reply: unknown): unknown {
  const entries = Array.isArray(reply) ? reply : [];
  const isMap = entries.length > 0 && entries.every((one) => one !== null && typeof one === "object" && "value" in one);
  return isMap ? new Map(entries.map(({ field, key = field, value }) => [key, value])) : reply;
}

/** Which nodes of a cluster are read from, by the option `reads`; as installed, the primaries. */
const READ_FROM: Readonly<Record<string, Glide.ReadFrom>> = { replica: "preferReplica", any: "allNodes" };

/** As installed, except for the server, timeouts, and what the trial sets. */
function clientConfiguration(glide: typeof Glide, { server, options }: Trial): Configuration {
  const { host, port, tls, username, password, database } = server;
  if (host === null || port === null) {
    throw new Unsupported("GLIDE connects to no unix sockets");
  }
  const limits = options["limits"];
  const limit = limits === undefined ? LONG_MS : LIMITS_MS[String(limits)];
  const readFrom = READ_FROM[String(options["reads"])];
  return {
    addresses: [{ host, port }],
    ...(readFrom === undefined ? {} : { readFrom }),
    ...(limit === undefined ? {} : { requestTimeout: limit }),
    ...(database === 0 ? {} : { databaseId: database }),
    ...(password === null ? {} : { credentials: { ...(username === null ? {} : { username }), password } }),
    ...(options["protocol"] === 2 ? { protocol: glide.ProtocolVersion.RESP2 } : {}),
    ...(options["decode"] === "bytes" ? { defaultDecoder: glide.Decoder.Bytes } : {}),
    ...(tls === null ? {} : { useTLS: true }),
    advancedConfiguration: {
      ...(limit === undefined ? {} : { connectionTimeout: limit }),
      ...(tls === null ? {} : { tlsAdvancedConfiguration: tlsOf(tls) }),
    },
  };
}

/** Its own options of TLS: it sends no certificate of the client. */
function tlsOf({ ca_file, certificate_file, verify }: Tls): object {
  if (certificate_file !== null) {
    throw new Unsupported("GLIDE sends no certificate of the client");
  }
  return {
    ...(verify ? {} : { insecure: true }),
    ...(ca_file === null ? {} : { rootCertificates: readFileSync(ca_file) }),
  };
}
