import * as read from "./fields.js";
import { parseShape } from "./parse-shape.js";
import { parseTarget } from "./parse-target.js";
import { type ClientChoice, type OptionValue, SCENARIOS, type Trial, type WorkloadPart } from "./trial.js";

const FIELDS = ["schema_version", "trial_id", "client", "scenario", "shape", "workload", "target", "verify_commands"];

/** Parses the line that the harness wrote to standard input. */
export function parseTrial(line: string): Trial {
  const fields = read.fieldsOf(read.parseJson(line, "the trial"), "trial", FIELDS);
  read.checkSchemaVersion(fields);
  const scenario = read.oneOf(fields, "scenario", SCENARIOS);
  return {
    trialId: read.text(fields, "trial_id"),
    client: parseClient(read.required(fields, "client")),
    shape: parseShape(read.required(fields, "shape"), scenario),
    workload: parseWorkloadPart(read.required(fields, "workload")),
    target: parseTarget(read.required(fields, "target")),
    verifyCommands: read.integer(fields, "verify_commands", { least: 0 }, 100),
  };
}

function parseClient(value: unknown): ClientChoice {
  const fields = read.fieldsOf(value, "trial.client", ["library", "version", "options"]);
  return {
    library: read.text(fields, "library"),
    version: read.optionalText(fields, "version"),
    options: parseOptions(fields.values["options"] ?? {}),
  };
}

function parseOptions(value: unknown): Record<string, OptionValue> {
  const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const fields = read.fieldsOf(value, "trial.client.options", names);
  for (const [name, option] of Object.entries(fields.values)) {
    if (typeof option !== "string" && typeof option !== "boolean" && !Number.isSafeInteger(option)) {
      throw read.wrong(fields, name, "a text, an integer, true or false");
    }
  }
  return fields.values as Record<string, OptionValue>;
}

function parseWorkloadPart(value: unknown): WorkloadPart {
  const fields = read.fieldsOf(value, "trial.workload", ["path", "part", "parts"]);
  const parts = read.integer(fields, "parts", { least: 1 }, 1);
  const part = read.integer(fields, "part", { least: 0, most: parts - 1 }, 0);
  return { path: read.text(fields, "path"), part, parts };
}
