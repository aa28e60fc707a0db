import type { EventEmitter } from "node:events";
import { promisify } from "node:util";
import type { Adapter, MakeAdapter, Send, Sender, Value } from "../../runner/adapter.js";
import { type Server, tlsOptions } from "../../runner/server.js";

type Callback = (error: Error | null, reply: unknown) => void;
/** Its methods take a callback after their arguments; in a batch they need none. */
type Method = (...words: unknown[]) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** A command without a method in the table: its name as a batch's method has it, and its words. */
interface Raw {
  readonly name: string;
  readonly words: Value[];
}

interface Batch extends Sender {
  exec(callback: Callback): void;
}

interface Client extends EventEmitter {
  batch(): Batch;
  multi(): Batch;
  quit(callback: Callback): void;
  end(flush: boolean): void;
}

/** The parts of node-redis 3 that are used; it has no types. */
interface Redis {
  createClient(options: object): Client;
  readonly RedisClient: { readonly prototype: Client & Methods };
}

/** A client whose methods return promises: each was promisified once, as the documentation shows. */
interface Promised extends Sender {
  readonly client: Client;
}

/** node-redis before its version 4: callbacks, a `batch()` beside `multi()`, and no pool. */
export const adapter: MakeAdapter = ({ server }, load) => {
  const redis = load("redis") as Redis;
  const options = clientOptions(server);
  const promised = promisedClass(redis);
  const made: Adapter<Promised> = {
    versions: {
      "node-redis": (load("redis/package.json") as { version: string }).version,
      "redis-parser": (load("redis-parser/package.json") as { version: string }).version,
    },
    values: "text",
    commands: COMMANDS,
    any: (sender: Methods, { name, words }: Raw) =>
      "send_command" in sender ? sender["send_command"]?.(name, words) : sender[name]?.(...words),
    // Its own AUTH takes the password first.
    words: ([name, ...words]) => ({
      name: (name as string).toLowerCase(),
      words: name === "AUTH" ? words.reverse() : words,
    }),
    batch: { begin: ({ client }) => client.batch(), run: executed },
    transaction: { begin: ({ client }) => client.multi(), run: executed },
    create: (onError) => promised(redis.createClient(options).on("error", onError)),
    open: ({ client }) => ready(client),
    close: ({ client }) => promisify(client.quit).call(client),
    drop: (sender) => (sender as Promised).client.end(false),
  };
  return made as unknown as Adapter;
};

/** Its methods are those of the command's name; called through this table, with the words in their order. */
const COMMANDS: Readonly<Record<string, (...words: never[]) => Send>> = {
  PING: () => (sender: Methods) => sender["ping"]?.(),
  GET: () => (sender: Methods, key) => sender["get"]?.(key),
  HGETALL: () => (sender: Methods, key) => sender["hgetall"]?.(key),
  MGET: () => (sender: Methods, keys) => sender["mget"]?.(keys),
  MSET: () => (sender: Methods, words) => sender["mset"]?.(words),
  SET: one("set"),
  EXPIRE: one("expire"),
  INCRBY: one("incrby"),
  LPUSH: one("lpush"),
  SADD: one("sadd"),
  SETEX: two("setex"),
  GETRANGE: two("getrange"),
  LTRIM: two("ltrim"),
  LRANGE: two("lrange"),
  ZADD: two("zadd"),
};

function one(name: string) {
  return (word: unknown): Send =>
    (sender: Methods, key) =>
      sender[name]?.(key, word);
}

function two(name: string) {
  return (first: unknown, second: unknown): Send =>
    (sender: Methods, key) =>
      sender[name]?.(key, first, second);
}

type Call = (this: Promised, ...words: unknown[]) => unknown;

/** By how many words it takes: a method that calls a promisified one on the client, without a list of words. */
const CALLS: readonly ((method: Method) => Call)[] = [
  (method) =>
    function () {
      return method.call(this.client);
    },
  (method) =>
    function (key) {
      return method.call(this.client, key);
    },
  (method) =>
    function (key, word) {
      return method.call(this.client, key, word);
    },
  (method) =>
    function (key, first, second) {
      return method.call(this.client, key, first, second);
    },
];
const WORDS: Readonly<Record<string, number>> = { PING: 0, GET: 1, HGETALL: 1, MGET: 1, MSET: 1 };

/** Makes an object with the client's promisified methods: one prototype for all clients, bound to none. */
function promisedClass(redis: Redis): (client: Client) => Promised {
  const prototype: Record<string, Call> = {};
  for (const command of Object.keys(COMMANDS)) {
    const name = command.toLowerCase();
    const method = promisify(redis.RedisClient.prototype[name] as () => void) as Method;
    prototype[name] = (CALLS[WORDS[command] ?? (COMMANDS[command] as () => Send).length + 1] as (typeof CALLS)[0])(
      method,
    );
  }
  const send = promisify(redis.RedisClient.prototype["send_command"] as () => void) as Method;
  prototype["send_command"] = (CALLS[2] as (typeof CALLS)[0])(send);
  return (client) => Object.assign(Object.create(prototype), { client }) as Promised;
}

/** Errors of single commands are among the replies; the server counts them. */
function executed(batch: Sender): Promise<unknown> {
  return new Promise((resolve, reject) => {
    (batch as Batch).exec((error, replies) => (error ? reject(error) : resolve(replies)));
  });
}

/** It connects by itself, and emits an event when it is ready. */
function ready(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      client.end(false);
      reject(error);
    };
    client.once("error", fail);
    client.once("ready", () => {
      client.off("error", fail);
      resolve();
    });
  });
}

/** As installed, except for the server. */
function clientOptions({ host, port, unix_socket: path, tls, username, password, database }: Server): object {
  return {
    ...(path === null ? { host, port } : { path }),
    ...(tls === null ? {} : { tls: tlsOptions(tls) }),
    ...(username === null ? {} : { user: username }),
    ...(password === null ? {} : { password }),
    ...(database === 0 ? {} : { db: database }),
  };
}
