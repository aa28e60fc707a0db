import { readFileSync } from "node:fs";
import type { Tls } from "../contract/trial.js";
import { InvalidInput } from "../errors.js";

/** The trial's TLS settings as options of Node's own TLS. */
export function tlsFiles(tls: Tls) {
  return {
    rejectUnauthorized: tls.verify,
    ...(tls.caFile === null ? {} : { ca: readPem("ca_file", tls.caFile) }),
    ...(tls.certificateFile === null ? {} : { cert: readPem("certificate_file", tls.certificateFile) }),
    ...(tls.keyFile === null ? {} : { key: readPem("key_file", tls.keyFile) }),
  };
}

function readPem(field: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InvalidInput(`trial.target.tls.${field}: ${path} cannot be read (${code}): name a PEM file`);
  }
}
