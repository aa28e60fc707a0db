/** The lines of harness/contract.md, as far as they need a name. */

/** How to speak TLS; files are PEM. */
export interface Tls {
  readonly ca_file: string | null;
  readonly certificate_file: string | null;
  readonly key_file: string | null;
  readonly verify: boolean;
}

/** Where the server is, and how to be let in. */
export interface Target {
  readonly host: string | null;
  readonly port: number | null;
  readonly unix_socket: string | null;
  readonly database: number;
  readonly username: string | null;
  readonly password: string | null;
  readonly tls: Tls | null;
}

/** The first line. */
export interface Trial {
  readonly client: string;
  readonly adapter: string;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly scenario: string;
  readonly shape: {
    readonly depth?: number;
    readonly window?: "burst" | "sliding";
    readonly threads?: number;
    readonly max_total?: number;
    readonly cache_entries?: number;
  };
  readonly workload: string;
  readonly part: number;
  readonly parts: number;
  readonly samples: number;
  readonly target: Target;
}

/** Work for one slice. */
export interface Work {
  readonly first: number;
  readonly lead_in_ns: number;
  readonly ns: number;
  readonly keep: boolean;
}

/** Every other line has one of these. */
export interface Order {
  readonly connect?: object;
  readonly echo?: { readonly commands: number; readonly bytes: number };
  readonly work?: Work;
  readonly samples?: object;
  readonly bare?: { readonly first: number; readonly ns: number };
}

/** What a client's local cache has done so far; null: it does not count. */
export interface CacheCounts {
  readonly hits: number | null;
  readonly misses: number | null;
  readonly invalidations: number | null;
}
