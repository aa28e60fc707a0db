import { readFileSync } from "node:fs";

/** Where the server is, and how to be let in: `server` of the trial. */
export interface Server {
  readonly host: string | null;
  readonly port: number | null;
  readonly unix_socket: string | null;
  readonly database: number;
  readonly username: string | null;
  readonly password: string | null;
  readonly tls: Tls | null;
  /** It is one node of a cluster, whose other nodes the library's cluster client finds. */
  readonly cluster?: boolean;
  /** Host and port of each sentinel that tells which server is the primary, which they call `WATCHED`. */
  readonly sentinels?: readonly (readonly [host: string, port: number])[];
}

/** What sentinels call the primary that they watch. */
export const WATCHED = "respmark";

/** Where sentinels are, as libraries' options have it; undefined where there are none. */
export function sentinelNodes({ sentinels }: Server): { host: string; port: number }[] | undefined {
  return sentinels?.map(([host, port]) => ({ host, port }));
}

export interface Tls {
  readonly ca_file: string | null;
  readonly certificate_file: string | null;
  readonly key_file: string | null;
  readonly verify: boolean;
}

/** As options of Node's own TLS. */
export function tlsOptions({ ca_file, certificate_file, key_file, verify }: Tls): object {
  return {
    rejectUnauthorized: verify,
    ...(ca_file === null ? {} : { ca: readFileSync(ca_file) }),
    ...(certificate_file === null ? {} : { cert: readFileSync(certificate_file) }),
    ...(key_file === null ? {} : { key: readFileSync(key_file) }),
  };
}
