import process from "node:process";
import { EXIT, RunnerError } from "./errors.js";
import { print } from "./main/channel.js";
import { describe } from "./main/describe.js";
import { end, exitWith } from "./main/exit.js";
import { run } from "./main/run.js";

/** What the runner can be asked to do. */
const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  describe: async () => print(await describe()),
  run,
};

process.on("uncaughtException", exitWith);
process.stdout.on("error", () => process.exit(EXIT.other));

try {
  await commandOf(process.argv.slice(2))();
  end(EXIT.done);
} catch (error) {
  exitWith(error);
}

function commandOf(words: readonly string[]): () => Promise<void> {
  const command = COMMANDS[words[0] ?? ""];
  if (command === undefined || words.length > 1) {
    throw new RunnerError(`usage: node dist/main.js ${Object.keys(COMMANDS).join("|")}`);
  }
  return command;
}
