import { writeFileSync } from "node:fs";
import type { FileCommand } from "#runner/workload/header.js";

const HEADER_ROOM = 2048;
const SECTIONS = ["kinds", "keys", "sizes", "block"] as const;

/** Writes a workload of these kinds of commands, one after the other, on eight keys. */
export function writeWorkload(path: string, mix: readonly FileCommand[], commands: number, keyPrefix = "k:"): void {
  const columns = {
    kinds: Buffer.from(Array.from({ length: commands }, (_, index) => index % mix.length)),
    keys: uint32(Array.from({ length: commands }, (_, index) => index % 8)),
    sizes: uint32(Array.from({ length: commands }, () => 16)),
    block: Buffer.alloc(1024, "abcdefghijklmnopqrstuvwxyz"),
  };
  const places: Record<string, { offset: number; length: number }> = {};
  let offset = 16 + HEADER_ROOM;
  for (const name of SECTIONS) {
    places[name] = { offset, length: columns[name].length };
    offset += Math.ceil(columns[name].length / 8) * 8;
  }
  const content = Buffer.alloc(offset);
  content.write("RESPMARK");
  content.writeUInt32LE(2, 8);
  content.writeUInt32LE(HEADER_ROOM, 12);
  content.write(JSON.stringify({ ...FIELDS, key_prefix: keyPrefix, commands, mix, ...places }).padEnd(HEADER_ROOM), 16);
  for (const name of SECTIONS) {
    columns[name].copy(content, places[name]?.offset ?? 0);
  }
  writeFileSync(path, content);
}

const FIELDS = {
  schema_version: 2,
  name: "test",
  seed: 1,
  preload_keys: 8,
  key_digits: 4,
  value_multiplier: 3,
  value_modulus_bits: 8,
  value_size_min: 4,
  value_size_max: 64,
  hash_fields: 2,
};

function uint32(numbers: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(numbers).buffer);
}
