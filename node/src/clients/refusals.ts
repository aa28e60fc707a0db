import { addressText, type Endpoint } from "../contract/trial.js";
import { TargetFailure } from "../errors.js";
import type { ClientError } from "./library.js";

/** A refusal: how it is recognised, what it means for the trial, and what to do. */
interface Refusal {
  readonly pattern: RegExp;
  readonly meaning: string;
  readonly advice: string;
}

/** What servers reply when they refuse the runner as a whole; recognised by the reply. */
export const REPLIES: readonly Refusal[] = [
  {
    pattern: /^(?:WRONGPASS|NOAUTH)|^ERR (?:AUTH|invalid password)/,
    meaning: "refused the user or the password",
    advice: "check the target's username and password",
  },
  {
    pattern: /^NOPERM/,
    meaning: "refused a command of the workload",
    advice: "let the user run the workload's commands on its keys (ACL SETUSER)",
  },
  {
    pattern: /^LOADING/,
    meaning: "is still loading its data set",
    advice: "wait until it has loaded and try again",
  },
  { pattern: /^READONLY/, meaning: "is a read-only replica", advice: "name the primary as target" },
  {
    pattern: /^MISCONF/,
    meaning: "refuses writes because it cannot save its data set to disk",
    advice: "repair its persistence or set stop-writes-on-bgsave-error to no",
  },
  {
    pattern: /max number of clients/,
    meaning: "accepts no more clients",
    advice: "raise its maxclients or close other clients",
  },
  { pattern: /^OOM/, meaning: "has no memory left", advice: "raise its maxmemory or choose a smaller workload" },
  { pattern: /^DENIED/, meaning: "is in protected mode", advice: "set a password or turn protected mode off" },
  {
    pattern: /^(?:MOVED|ASK|CLUSTERDOWN|TRYAGAIN|CROSSSLOT)/,
    meaning: "is part of a cluster that does not serve the workload's keys here",
    advice: "name a server that holds all keys",
  },
  { pattern: /^(?:MASTERDOWN|NOREPLICAS|BUSY|UNKILLABLE)/, meaning: "cannot serve now", advice: "see its log" },
  { pattern: /DB index|SELECT/, meaning: "refused the database", advice: "check the target's database" },
];

/** What systems and libraries report when a server cannot be reached; recognised by code or class. */
export const CONNECTIONS: readonly Refusal[] = [
  {
    pattern: /^ECONNREFUSED$/,
    meaning: "refuses connections",
    advice: "start the server, or correct host and port",
  },
  { pattern: /^ENOENT$/, meaning: "does not exist", advice: "start the server, or correct the path of the socket" },
  { pattern: /^EACCES$/, meaning: "may not be opened by this user", advice: "check the socket's permissions" },
  { pattern: /^(?:ENOTFOUND|EAI_AGAIN)$/, meaning: "is not a known host", advice: "correct the host" },
  {
    pattern: /^(?:ETIMEDOUT|ConnectionTimeoutError)$/,
    meaning: "does not answer in time",
    advice: "check that it is up, that no firewall is between, and whether it speaks TLS on this port",
  },
  {
    pattern: /CERT|SELF_SIGNED|UNABLE_TO/,
    meaning: "has a certificate that is not trusted",
    advice: "give the right ca_file, or verify = false",
  },
  {
    pattern: /^(?:EPROTO|ERR_SSL|ERR_TLS)/,
    meaning: "did not complete the TLS handshake",
    advice: "check that it speaks TLS on this port, and the certificate files",
  },
  {
    pattern: /^(?:ECONNRESET|EPIPE|SocketClosedUnexpectedlyError)$/,
    meaning: "closed the connection",
    advice: "check that it is up, and whether it expects TLS on this port",
  },
  {
    pattern: /^(?:EHOSTUNREACH|ENETUNREACH)$/,
    meaning: "cannot be reached",
    advice: "check host, port and network",
  },
];

/** A server that expects TLS answers with bytes that are not RESP. */
export const NO_RESP: Refusal = {
  pattern: /Unknown RESP type/,
  meaning: "does not speak the protocol of Redis",
  advice: "check whether it expects TLS on this port, or is another kind of server",
};
export const OTHER: Refusal = { pattern: /^/, meaning: "failed", advice: "see its log" };

const LONGEST = 200;

/** Whether the server refuses the runner as a whole, rather than one command of the workload. */
export function isRefusal({ message }: ClientError): boolean {
  return REPLIES.some(({ pattern }) => pattern.test(message));
}

/** The sentence for an error that ends the trial: what failed, where, and what to do. */
export function targetFailure(error: ClientError, target: Endpoint): TargetFailure {
  const { meaning, advice } = REPLIES.find(({ pattern }) => pattern.test(error.message)) ?? connectionRefusal(error);
  return new TargetFailure(`${addressText(target)} ${meaning} (${detail(error)}): ${advice}`);
}

/** The sentence for a lost target, with the error that was reported, if any. */
export function lostTarget(complaint: string, error: ClientError | undefined, target: Endpoint): TargetFailure {
  const heard = error === undefined ? "" : ` (${detail(error)})`;
  return new TargetFailure(
    `${addressText(target)} was lost: ${complaint}${heard}: see whether it still runs, then run again`,
  );
}

function connectionRefusal({ code, kind, message }: ClientError): Refusal {
  if (NO_RESP.pattern.test(message)) {
    return NO_RESP;
  }
  return CONNECTIONS.find(({ pattern }) => pattern.test(code ?? kind)) ?? OTHER;
}

/** The error as it was raised, with its kind if it is not a reply and the message does not contain the kind. */
function detail({ kind, message, isReply }: ClientError): string {
  const text = isReply || message.includes(kind) ? message : `${kind}: ${message}`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
