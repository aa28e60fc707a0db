import process from "node:process";
import { parseArgs } from "node:util";
import { EXIT, RunnerError } from "./errors.js";
import { print } from "./main/channel.js";
import { describe } from "./main/describe.js";
import { end, exitWith } from "./main/ending.js";
import { run } from "./main/run.js";

/** The runner's commands. */
const COMMANDS: Readonly<Record<string, (environment: string) => Promise<void>>> = {
  describe: async (environment) => print(await describe(environment)),
  run,
};

process.on("uncaughtException", exitWith);
process.stdout.on("error", () => process.exit(EXIT.other));

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { environment: { type: "string", default: "default" } },
  });
  await commandOf(positionals)(values.environment);
  end(EXIT.done);
} catch (error) {
  exitWith(error);
}

function commandOf(words: readonly string[]): (environment: string) => Promise<void> {
  const command = COMMANDS[words[0] ?? ""];
  if (command === undefined || words.length > 1) {
    throw new RunnerError(`usage: node dist/main.js [--environment NAME] ${Object.keys(COMMANDS).join("|")}`);
  }
  return command;
}
