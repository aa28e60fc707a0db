import process from "node:process";
import { EXIT, RunnerError } from "../errors.js";

const DEBUG = "RESPMARK_DEBUG";
const NOT_PRINTED = "…";

/** Secrets that must not appear in any message. */
const secrets = new Set<string>();

/** From now on, `secret` is left out of every message. */
export function keepSecret(secret: string | null): void {
  if (secret !== null && secret !== "") {
    secrets.add(secret);
  }
}

/** The text without secrets. */
export function redacted(text: string): string {
  return [...secrets].reduce((rest, secret) => rest.replaceAll(secret, NOT_PRINTED), text);
}

/** Says on standard error, in one sentence and without secrets, what was wrong; ends the process. */
export function exitWith(error: unknown): void {
  const problem = error instanceof Error ? error : new Error(String(error));
  if (process.env[DEBUG] === "1") {
    process.stderr.write(`${redacted(problem.stack ?? "")}\n`);
  }
  process.stderr.write(`${redacted(sentence(problem))}\n`);
  end(problem instanceof RunnerError ? problem.exitCode : EXIT.other);
}

/** Ends the process once everything printed has been written. */
export function end(exitCode: number): void {
  process.stdout.write("", () => process.exit(exitCode));
}

function sentence(error: Error): string {
  const text = error.message.replaceAll(/\s+/g, " ");
  return error instanceof RunnerError ? text : `internal error: ${error.name}: ${text}: set ${DEBUG}=1 to see where`;
}
