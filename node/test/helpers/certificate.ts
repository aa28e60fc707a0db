import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

const VALID_FROM = "200101000000Z";
const VALID_UNTIL = "491231235959Z";
const ECDSA_SHA256 = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const SUBJECT_ALT_NAME = "0603551d11";
const LOOPBACK = Buffer.from([127, 0, 0, 1]);

/** A key and a certificate for 127.0.0.1 that signs itself, both as PEM: made anew, so that no key lies in the sources. */
export function selfSigned(): { readonly key: string; readonly certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = toBeSigned(publicKey);
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, algorithm(), tagged(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

function toBeSigned(publicKey: KeyObject): Buffer {
  const version = tagged(0xa0, tagged(0x02, Buffer.from([2])));
  const serial = tagged(0x02, Buffer.from([1]));
  const name = sequence(tagged(0x31, sequence(Buffer.from(COMMON_NAME, "hex"), tagged(0x0c, Buffer.from("respmark")))));
  const validity = sequence(tagged(0x17, Buffer.from(VALID_FROM)), tagged(0x17, Buffer.from(VALID_UNTIL)));
  const key = publicKey.export({ type: "spki", format: "der" });
  return sequence(version, serial, algorithm(), name, validity, name, key, extensions());
}

function extensions(): Buffer {
  const addresses = tagged(0x04, sequence(tagged(0x87, LOOPBACK)));
  return tagged(0xa3, sequence(sequence(Buffer.from(SUBJECT_ALT_NAME, "hex"), addresses)));
}

function algorithm(): Buffer {
  return sequence(Buffer.from(ECDSA_SHA256, "hex"));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

/** One DER element. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
