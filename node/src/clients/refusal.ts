import { addressText, type Endpoint } from "../contract/trial.js";
import { TargetFailure } from "../errors.js";
import type { ClientError } from "./library.js";

/** A way in which servers refuse us: how it is recognised, what it means, and what to do. */
interface Refusal {
  readonly pattern: RegExp;
  readonly meaning: string;
  readonly advice: string;
}

/** What servers answer when they refuse us; recognised by the answer. */
const REPLIES: readonly Refusal[] = [
  {
    pattern: /^(?:WRONGPASS|NOAUTH)|^ERR (?:AUTH|invalid password)/,
    meaning: "refused the user or the password",
    advice: "correct target.username and target.password",
  },
  {
    pattern: /^NOPERM/,
    meaning: "does not permit the user what the workload needs",
    advice: "grant it with ACL SETUSER, or name another user",
  },
  { pattern: /^LOADING/, meaning: "is still loading its data", advice: "wait until it is ready, then run again" },
  { pattern: /^READONLY/, meaning: "is a replica that takes no writes", advice: "name its primary instead" },
  {
    pattern: /^MISCONF/,
    meaning: "takes no writes because it cannot save its data",
    advice: "repair or turn off its persistence",
  },
  {
    pattern: /max number of clients/,
    meaning: "has as many clients as it allows",
    advice: "raise maxclients or end other clients",
  },
  { pattern: /^OOM/, meaning: "is out of memory", advice: "raise maxmemory or choose a smaller workload" },
  { pattern: /^DENIED/, meaning: "is in protected mode", advice: "set a password or turn protected mode off" },
  {
    pattern: /^(?:MOVED|ASK|CLUSTERDOWN|TRYAGAIN|CROSSSLOT)/,
    meaning: "is a node of a cluster",
    advice: "name a server that is no cluster",
  },
  { pattern: /^(?:MASTERDOWN|NOREPLICAS|BUSY|UNKILLABLE)/, meaning: "cannot serve now", advice: "see its log" },
  { pattern: /DB index|SELECT/, meaning: "refused the database", advice: "correct target.database" },
];

/** What systems and libraries report when there is no way to a server; recognised by code or class. */
const CONNECTIONS: readonly Refusal[] = [
  { pattern: /^ECONNREFUSED$/, meaning: "has no server", advice: "start it, or correct target.host and target.port" },
  {
    pattern: /^(?:ENOENT|EACCES)$/,
    meaning: "has no socket for us",
    advice: "correct target.unix_socket or its permissions",
  },
  { pattern: /^(?:ENOTFOUND|EAI_AGAIN)$/, meaning: "has an unknown host name", advice: "correct target.host" },
  {
    pattern: /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ConnectionTimeoutError)$/,
    meaning: "cannot be reached",
    advice: "see whether network and firewall let us through",
  },
  {
    pattern: /^(?:EPROTO|ERR_SSL|ERR_TLS)|CERT|SELF_SIGNED|UNABLE_TO/,
    meaning: "and this client do not agree on TLS",
    advice: "correct target.tls: null for a server without TLS, ca_file for a private authority",
  },
  {
    pattern: /^(?:ECONNRESET|EPIPE|SocketClosedUnexpectedlyError)$/,
    meaning: "closed the connection",
    advice: "see whether it wants TLS (target.tls) or has too many clients, and what its log says",
  },
];

/** A server that wants TLS answers with bytes that are no RESP; one that does not waits for the rest of the line. */
const NO_RESP: Refusal = {
  pattern: /Unknown RESP type/,
  meaning: "does not speak the protocol of Redis",
  advice: "see whether it wants TLS (target.tls), or is another kind of server",
};
const NO_TLS: Refusal = {
  pattern: /^ConnectionTimeoutError$/,
  meaning: "does not answer in TLS",
  advice: "see whether it speaks TLS at all: target.tls is null for a server without it",
};

const LONGEST = 200;

/** Whether the server refuses us altogether, rather than one command of the workload. */
export function isRefusal({ message }: ClientError): boolean {
  return REPLIES.some(({ pattern }) => pattern.test(message));
}

/** The sentence for an error that ends the trial: what, where, what to do. */
export function targetFailure(error: ClientError, target: Endpoint): TargetFailure {
  const found = REPLIES.find(({ pattern }) => pattern.test(error.message)) ?? connectionRefusal(error, target);
  const { meaning, advice } = found ?? { meaning: "failed", advice: "see its log" };
  return new TargetFailure(`${addressText(target)} ${meaning} (${detail(error)}): ${advice}`);
}

/** The sentence for a target that fell silent, with the last error that was heard. */
export function lostTarget(complaint: string, error: ClientError | undefined, target: Endpoint): TargetFailure {
  const heard = error === undefined ? "" : ` after ${detail(error)}`;
  return new TargetFailure(
    `${addressText(target)} was lost: ${complaint}${heard}: see whether it still runs, then run again`,
  );
}

function connectionRefusal({ code, kind, message }: ClientError, { tls }: Endpoint): Refusal | undefined {
  if (NO_RESP.pattern.test(message)) {
    return NO_RESP;
  }
  const candidates = tls === null ? CONNECTIONS : [NO_TLS, ...CONNECTIONS];
  return candidates.find(({ pattern }) => pattern.test(code ?? kind));
}

/** The error as it came: its kind, if the message does not already say it. */
function detail({ kind, message, isReply }: ClientError): string {
  const text = isReply || message.includes(kind) ? message : `${kind}: ${message}`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
