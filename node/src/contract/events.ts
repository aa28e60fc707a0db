/** Connected, verified, warmed up, every reply received; waiting for `go`. */
export interface ReadyEvent {
  readonly event: "ready";
  readonly schema_version: number;
  readonly trial_id: string;
  /** From the start of the program to this event, less the warm-up. */
  readonly startup_ns: number;
  readonly verified_replies: number;
  readonly warmup_operations: number;
}

/** About once a second inside the window. */
export interface ProgressEvent {
  readonly event: "progress";
  readonly trial_id: string;
  readonly elapsed_ns: number;
  readonly operations: number;
}

/** What one latency sample covers. */
export type SampleCovers = "command" | "burst" | "batch" | "transaction" | "connection";

/** One walker's way through the workload. */
export interface Segment {
  readonly first_command: number;
  readonly operations: number;
}

/** What was done when the first unit at or after half of the window ended. */
export interface Half {
  readonly operations: number;
  readonly elapsed_ns: number;
}

/** Sparse `[value_ns, count]` pairs, ascending. */
export type Histogram = readonly (readonly [number, number])[];

/** What was measured. */
export interface ResultEvent {
  readonly event: "result";
  readonly schema_version: number;
  readonly trial_id: string;
  readonly operations: number;
  readonly units: number;
  readonly segments: readonly Segment[];
  readonly errors: Readonly<Record<string, number>>;
  readonly first_error: string | null;
  readonly elapsed_ns: number;
  readonly first_half: Half | null;
  readonly cpu_user_ns: number;
  readonly cpu_system_ns: number;
  readonly latency: {
    readonly sample_covers: SampleCovers;
    readonly histogram: Histogram;
    readonly max_ns: number;
  };
  readonly peak_memory_bytes: number;
  readonly decodes_to: "bytes" | "text";
  readonly runtime_health: Readonly<Record<string, number>>;
  readonly runtime_settings: Readonly<Record<string, string | number | boolean>>;
  readonly versions: Readonly<Record<string, string>>;
}

export type RunnerEvent = ReadyEvent | ProgressEvent | ResultEvent;
