import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Steps 0: GET, 1: SET of "short", 2: SET of "longer". */
export const GETS_AND_SETS = {
  kinds: [
    { name: "GET", arguments: ["key"] },
    { name: "SET", arguments: ["key", "value"] },
  ],
  steps: [[0], [1, 0], [1, 1]],
};

/** Writes a workload file with keys of five bytes and the values "short" and "longer"; returns its path. */
export function writeWorkload(header: object, rows: readonly number[], keys: string): string {
  const path = join(tmpdir(), `${randomUUID()}.workload`);
  const steps = Buffer.alloc(2 * rows.length);
  for (const [index, row] of rows.entries()) {
    steps.writeUInt16LE(row, 2 * index);
  }
  const first = Buffer.from(`${JSON.stringify({ key_bytes: 5, values: [5, 6], ...header })}\n`);
  writeFileSync(path, Buffer.concat([first, steps, Buffer.from(`${keys}shortlonger`)]));
  return path;
}

/** Writes the times at which units are due, in whole nanoseconds; returns the file's path. */
export function writeDues(dues: readonly number[]): string {
  const path = join(tmpdir(), `${randomUUID()}.due`);
  writeFileSync(path, new BigInt64Array(dues.map(BigInt)));
  return path;
}
