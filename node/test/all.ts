import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

/** Files at a time: most of them wait for servers and windows rather than for a processor. */
const CONCURRENCY = 3;
/** A file that hangs is ended and fails; the slowest takes a quarter of this on a busy machine. */
const LONGEST_MS = 240_000;

const folder = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.js"))
  .map((name) => join(folder, name));

const reporter = new spec();
run({ files, concurrency: CONCURRENCY, timeout: LONGEST_MS })
  .on("test:fail", () => {
    process.exitCode = 1;
  })
  .pipe(reporter)
  .pipe(process.stdout);
