/** Ways of using a client; what goes on the wire is part of each definition. */
export const SCENARIOS = [
  "sync",
  "pipelining",
  "batching",
  "transaction",
  "threads",
  "pool",
  "new-connection",
  "caching",
] as const;

export type Scenario = (typeof SCENARIOS)[number];

/** How `pipelining` bounds what is in flight. */
export const WINDOWS = ["burst", "sliding"] as const;

export type PipeliningWindow = (typeof WINDOWS)[number];

/** How a transaction's commands travel. */
export const FORMS = ["queued", "batched"] as const;

export type TransactionForm = (typeof FORMS)[number];

/** A scenario with its numbers and forms; each has only the fields that it uses. */
export type Shape =
  | { readonly scenario: "sync" | "new-connection" }
  | {
      readonly scenario: "pipelining";
      readonly depth: number;
      readonly window: PipeliningWindow;
      readonly threads: number | null;
    }
  | { readonly scenario: "batching"; readonly depth: number }
  | { readonly scenario: "transaction"; readonly depth: number; readonly form: TransactionForm }
  | { readonly scenario: "threads"; readonly threads: number; readonly connections: number }
  | {
      readonly scenario: "pool";
      readonly threads: number;
      readonly maxTotal: number;
      readonly maxIdle: number | null;
    }
  | { readonly scenario: "caching"; readonly cacheEntries: number };

/** A value of a client's option. */
export type OptionValue = string | number | boolean;

/** A client library in one configuration. */
export interface ClientChoice {
  readonly library: string;
  /** The requested version; null: the one that the lock file pins. */
  readonly version: string | null;
  readonly options: Readonly<Record<string, OptionValue>>;
}

/** Which workload file to replay, and this process's part in it. */
export interface WorkloadPart {
  readonly path: string;
  readonly part: number;
  readonly parts: number;
}

/** How to speak TLS to the target. */
export interface Tls {
  readonly caFile: string | null;
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
  readonly verify: boolean;
}

/** The server's address. */
export type Address = { readonly host: string; readonly port: number } | { readonly unixSocket: string };

/** Where the server is and how to connect to it. */
export interface Endpoint {
  readonly address: Address;
  readonly database: number;
  readonly username: string | null;
  /** Never printed. */
  readonly password: string | null;
  readonly tls: Tls | null;
}

/** One trial, for this process. */
export interface Trial {
  readonly trialId: string;
  readonly client: ClientChoice;
  readonly shape: Shape;
  readonly workload: WorkloadPart;
  readonly target: Endpoint;
  readonly verifyCommands: number;
}

/** The address as people write it. */
export function addressText({ address }: Endpoint): string {
  return "host" in address ? `${address.host}:${address.port}` : address.unixSocket;
}
