import process from "node:process";
import { getHeapStatistics } from "node:v8";
import type { Library, Session } from "../clients/library.js";
import type { ResultEvent } from "../contract/events.js";
import { SCHEMA_VERSION } from "../contract/version.js";
import { peakMemoryBytes } from "../recorder/process.js";
import type { Workload } from "../workload/workload.js";
import type { Loaded } from "./load.js";

/** Threads of libuv's pool (host names, files, cryptography), where the environment says nothing else. */
const UV_THREADS = 4;

/** The `result` event. */
export async function resultOf(
  { trial, library, workload, layout, latency, health }: Loaded,
  session: Session,
): Promise<ResultEvent> {
  const { histogram, maxNs } = latency.summary();
  return {
    event: "result",
    schema_version: SCHEMA_VERSION,
    trial_id: trial.trialId,
    latency: { sample_covers: layout.sampleCovers, histogram, max_ns: maxNs },
    peak_memory_bytes: peakMemoryBytes(),
    decodes_to: workload.form,
    runtime_health: await health.finish(),
    runtime_settings: { ...session.settings, ...givenAs(workload), ...runtimeSettings() },
    versions: versionsOf(library),
  };
}

function givenAs({ form }: Workload): Record<string, string> {
  return { keys_given_as: "string", values_given_as: form === "bytes" ? "Buffer" : "string" };
}

function runtimeSettings(): Record<string, string | number> {
  return {
    clock: "performance.now",
    node_flags: process.execArgv.join(" "),
    node_options: process.env["NODE_OPTIONS"] ?? "",
    heap_limit_bytes: getHeapStatistics().heap_size_limit,
    uv_threadpool_size: Number(process.env["UV_THREADPOOL_SIZE"] ?? UV_THREADS),
  };
}

function versionsOf({ description }: Library): Record<string, string> {
  const { node, v8, uv } = process.versions;
  return { [description.library]: description.version, ...description.dependencies, node, v8, uv };
}
