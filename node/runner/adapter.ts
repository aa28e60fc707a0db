import type { Server } from "./server.js";

/** The first line of harness/contract.md. */
export interface Trial {
  readonly client: string;
  readonly adapter: string;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly scenario: string;
  readonly shape: {
    readonly depth?: number;
    readonly window?: "burst" | "sliding";
    readonly threads?: number;
    readonly connections?: number;
    readonly max_total?: number;
    readonly cache_entries?: number;
  };
  readonly workload: string;
  readonly samples: number;
  readonly open?: boolean;
  readonly server: Server;
}

/** What values are when they are sent, and what replies are decoded to. */
export type Value = string | Buffer;

/** A client, a pool or a block of commands: its methods are the adapter's business. */
export type Sender = object;

/** Sends a command; of several keys it gets the list, each with its value behind it if they have values. */
// biome-ignore lint/suspicious/noExplicitAny: what a library's methods take and return is the adapter's business
export type Send = (sender: any, key: any) => unknown;

/** A block of commands: how the library's documentation begins and runs one. */
export interface Block<Client> {
  begin(client: Client): Sender;
  run(block: Sender, client: Client): Promise<unknown>;
  /** The replies in what `run` resolves to, where it has more than them. */
  replies?(returned: unknown): unknown[];
}

/** A library, as the runner drives it. */
export interface Adapter<Client extends Sender = Sender> {
  readonly versions: Readonly<Record<string, string>>;
  /** What a reader must know: `settings` of the contract. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly values: "text" | "bytes";
  /** By command: given the words after its key, the function that sends it. */
  readonly commands: Readonly<Record<string, (...words: never[]) => Send>>;
  /** Sends any command, given all of its words: one that has no method in `commands`. */
  // biome-ignore lint/suspicious/noExplicitAny: a client, or a block of commands, as in `Send`
  readonly any?: (sender: any, words: any) => unknown;
  /** What `any` takes, given a command's words and keys, before anything is measured; without it, the list of words. */
  readonly words?: (words: Value[], keys: readonly string[]) => unknown;
  /** What MSET takes, given keys, each with its value behind it; without it, their list. */
  readonly pairs?: (words: readonly unknown[]) => unknown;
  readonly batch: Block<Client>;
  readonly transaction: Block<Client>;
  /** Makes a client, connected unless there is `open`; `onError` hears what the library reports outside commands. */
  create(onError: (error: Error) => void): Client | Promise<Client>;
  /** Resolves when the connection of a client is open. */
  open?(client: Client): Promise<unknown>;
  /** Opens a pool with all of its connections. */
  pool?(maxTotal: number, waitMs: number, onError: (error: Error) => void): Promise<Sender>;
  /** Closes a client or a pool, as users do after its last command. */
  close(client: Client): Promise<unknown>;
  /** Drops a client or a pool, whatever it is doing. */
  drop(sender: Sender): void;
  /** In `caching`: the contract's counts of what the local cache did since it was last asked. */
  cache?(): object;
  /** A reply in a form that only the library has, in plain types: a map as a Map. */
  plain?(reply: unknown): unknown;
  /** What an error says, where its own message does not. */
  explain?(error: Error): string | undefined;
}

/** Loads a library for one trial; `load` requires packages of the version that is measured. */
export type MakeAdapter = (trial: Trial, load: NodeJS.Require) => Adapter;

/** This machine or this server cannot do it. */
export class Unsupported extends Error {}

/** Makes a client, and opens its connection. */
export async function connected(adapter: Adapter, onError: (error: Error) => void): Promise<Sender> {
  const client = await adapter.create(onError);
  await adapter.open?.(client);
  return client;
}
