import { InvalidInput } from "../errors.js";
import { at, type Fields, fieldsOf, has, integer, oneOf, optionalInteger } from "./fields.js";
import { FORMS, type Scenario, type Shape, WINDOWS } from "./trial.js";

const FIELDS = ["depth", "window", "form", "threads", "connections", "max_total", "max_idle", "cache_entries"] as const;

type Field = (typeof FIELDS)[number];

interface Use {
  readonly required: readonly Field[];
  readonly optional?: readonly Field[];
}

const USES: Readonly<Record<Scenario, Use>> = {
  sync: { required: [] },
  pipelining: { required: ["depth", "window"], optional: ["threads"] },
  batching: { required: ["depth"] },
  transaction: { required: ["depth", "form"] },
  threads: { required: ["threads", "connections"] },
  pool: { required: ["threads", "max_total"], optional: ["max_idle"] },
  "new-connection": { required: [] },
  caching: { required: ["cache_entries"] },
};

const POSITIVE = { least: 1 };

/** Parses the shape of a scenario; refuses fields that the scenario does not use. */
export function parseShape(value: unknown, scenario: Scenario): Shape {
  const fields = fieldsOf(value, "trial.shape", [...FIELDS, "processes"]);
  integer(fields, "processes", POSITIVE, 1);
  checkUse(fields, scenario);
  return shapeOf(fields, scenario);
}

function checkUse(fields: Fields, scenario: Scenario): void {
  const { required, optional = [] } = USES[scenario];
  const missing = required.find((name) => !has(fields, name));
  if (missing !== undefined) {
    throw new InvalidInput(`${at(fields, missing)} is missing: ${scenario} needs ${required.join(", ")}`);
  }
  const excess = FIELDS.find((name) => has(fields, name) && !required.includes(name) && !optional.includes(name));
  if (excess !== undefined) {
    const used = [...required, ...optional, "processes"].join(", ");
    throw new InvalidInput(`${at(fields, excess)} has no meaning for ${scenario}, which uses ${used}`);
  }
}

function shapeOf(fields: Fields, scenario: Scenario): Shape {
  const positive = (name: Field) => integer(fields, name, POSITIVE);
  switch (scenario) {
    case "sync":
    case "new-connection":
      return { scenario };
    case "pipelining": {
      const window = oneOf(fields, "window", WINDOWS);
      return { scenario, depth: positive("depth"), window, threads: optionalInteger(fields, "threads", POSITIVE) };
    }
    case "batching":
      return { scenario, depth: positive("depth") };
    case "transaction":
      return { scenario, depth: positive("depth"), form: oneOf(fields, "form", FORMS) };
    case "threads":
      return { scenario, threads: positive("threads"), connections: positive("connections") };
    case "pool": {
      const maxIdle = optionalInteger(fields, "max_idle", { least: 0 });
      return { scenario, threads: positive("threads"), maxTotal: positive("max_total"), maxIdle };
    }
    case "caching":
      return { scenario, cacheEntries: positive("cache_entries") };
  }
}
