import process from "node:process";
import type { Library, Session } from "../clients/library.js";
import type { ResultEvent } from "../contract/events.js";
import { SCHEMA_VERSION } from "../contract/version.js";
import { peakMemoryBytes } from "../recorder/health.js";
import { runtimeSettings } from "../recorder/runtime-settings.js";
import type { Workload } from "../workload/workload.js";
import type { Loaded } from "./load.js";

/** The `result` event. */
export async function resultOf(
  { trial, library, workload, layout, samples, health }: Loaded,
  session: Session,
): Promise<ResultEvent> {
  const { histogram, maxNs } = samples.summary();
  return {
    event: "result",
    schema_version: SCHEMA_VERSION,
    trial_id: trial.trialId,
    latency: { sample_covers: layout.sampleCovers, histogram, max_ns: maxNs },
    peak_memory_bytes: peakMemoryBytes(),
    decodes_to: workload.wordType,
    runtime_health: await health.finish(),
    runtime_settings: { ...session.settings, ...givenAs(workload), ...runtimeSettings() },
    versions: versionsOf(library),
  };
}

function givenAs({ wordType }: Workload): Record<string, string> {
  return { keys_given_as: "string", values_given_as: wordType === "bytes" ? "Buffer" : "string" };
}

function versionsOf({ description }: Library): Record<string, string> {
  const { node, v8, uv } = process.versions;
  return { [description.library]: description.version, ...description.dependencies, node, v8, uv };
}
