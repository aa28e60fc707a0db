import process from "node:process";
import { getHeapStatistics } from "node:v8";
import type { Library, Session } from "../clients/library.js";
import type { ResultEvent } from "../contract/events.js";
import type { Trial } from "../contract/trial.js";
import { SCHEMA_VERSION } from "../contract/version.js";
import { nanoseconds } from "../recorder/clock.js";
import { peakMemoryBytes } from "../recorder/process.js";
import type { CountedFailures } from "../scenarios/failures.js";
import type { Loops } from "../scenarios/loop.js";
import { redacted } from "./exit.js";
import type { Measured } from "./measure.js";

/** What the result is made of. */
export interface Outcome {
  readonly trial: Trial;
  readonly library: Library;
  readonly session: Session;
  readonly loops: Loops;
  readonly failures: CountedFailures;
  readonly measured: Measured;
}

/** The `result` event. */
export function resultOf({ trial, library, session, loops, failures, measured }: Outcome): ResultEvent {
  const { window, cpu } = measured;
  const { histogram, maxNs } = loops.latency.summary();
  return {
    event: "result",
    schema_version: SCHEMA_VERSION,
    trial_id: trial.trialId,
    operations: window.operations,
    units: window.units,
    segments: segmentsOf(loops, measured),
    errors: failures.counts,
    first_error: failures.first === null ? null : redacted(failures.first),
    elapsed_ns: nanoseconds(measured.elapsedMs),
    first_half: window.firstHalf(),
    cpu_user_ns: cpu.userNs,
    cpu_system_ns: cpu.systemNs,
    latency: { sample_covers: loops.layout.sampleCovers, histogram, max_ns: maxNs },
    peak_memory_bytes: peakMemoryBytes(),
    decodes_to: library.decodesTo,
    runtime_health: measured.health,
    runtime_settings: { ...session.settings, ...runtimeSettings() },
    versions: versionsOf(library),
  };
}

function segmentsOf({ walkers }: Loops, { window }: Measured) {
  const operations = window.operationsByWalker;
  return walkers.map(({ first }, index) => ({ first_command: first, operations: operations[index] ?? 0 }));
}

function runtimeSettings(): Record<string, string | number> {
  return {
    clock: "performance.now",
    node_flags: process.execArgv.join(" "),
    node_options: process.env["NODE_OPTIONS"] ?? "",
    heap_limit_bytes: getHeapStatistics().heap_size_limit,
  };
}

function versionsOf({ description }: Library): Record<string, string> {
  const { node, v8, uv } = process.versions;
  return { [description.library]: description.version, ...description.dependencies, node, v8, uv };
}
