import process from "node:process";
import { loadersOf, surveyLibraries } from "../clients/registry.js";
import type { Description } from "../contract/description.js";
import { SCHEMA_VERSION } from "../contract/version.js";

/** What this runner can do here. */
export async function describe(environment: string): Promise<Description> {
  const { clients, missing } = await surveyLibraries(loadersOf(environment));
  return {
    schema_version: SCHEMA_VERSION,
    runner: "node",
    runtime: "Node.js",
    runtime_version: process.versions.node,
    clients: clients.map(({ description }) => description),
    missing,
  };
}
