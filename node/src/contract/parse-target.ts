import { InvalidInput } from "../errors.js";
import { type Fields, fieldsOf, flag, has, integer, optionalText, required, text } from "./fields.js";
import type { Address, Endpoint, Tls } from "./trial.js";

const FIELDS = ["host", "port", "unix_socket", "database", "username", "password", "tls"];
const TLS_FIELDS = ["ca_file", "certificate_file", "key_file", "verify"];

/** Parses the target: where the server is and how to connect to it. */
export function parseTarget(value: unknown): Endpoint {
  const fields = fieldsOf(value, "trial.target", FIELDS);
  return {
    address: parseAddress(fields),
    database: integer(fields, "database", { least: 0 }, 0),
    username: optionalText(fields, "username"),
    password: parsePassword(fields),
    tls: has(fields, "tls") ? parseTls(required(fields, "tls")) : null,
  };
}

function parseAddress(fields: Fields): Address {
  const [host, port, socket] = ["host", "port", "unix_socket"].map((name) => has(fields, name));
  if (host && port && !socket) {
    return { host: text(fields, "host"), port: integer(fields, "port", { least: 1, most: 65535 }) };
  }
  if (socket && !host && !port) {
    return { unixSocket: text(fields, "unix_socket") };
  }
  throw new InvalidInput("trial.target must have either host and port, or unix_socket");
}

/** Like any text, but a wrong value is not repeated in the message. */
function parsePassword(fields: Fields): string | null {
  const password = fields.values["password"] ?? null;
  if (password !== null && typeof password !== "string") {
    throw new InvalidInput("trial.target.password must be a text or null");
  }
  return password;
}

function parseTls(value: unknown): Tls {
  const fields = fieldsOf(value, "trial.target.tls", TLS_FIELDS);
  return {
    caFile: optionalText(fields, "ca_file"),
    certificateFile: optionalText(fields, "certificate_file"),
    keyFile: optionalText(fields, "key_file"),
    verify: flag(fields, "verify", true),
  };
}
