/** Library loaded, commands materialised; waiting for `connect`. */
export interface LoadedEvent {
  readonly event: "loaded";
  readonly schema_version: number;
  readonly trial_id: string;
  /** From the start of the program to this event. */
  readonly startup_ns: number;
}

/** Every connection is open, replies are verified; waiting for `slice`. */
export interface ReadyEvent {
  readonly event: "ready";
  readonly trial_id: string;
  /** From the order `connect` until the last connection is open, without verification. */
  readonly connect_ns: number;
  readonly verified_replies: number;
}

/** The process at one moment of a slice. */
export interface Moment {
  /** CLOCK_MONOTONIC; 104 days after the machine's start it exceeds what a number holds exactly. */
  readonly at_ns: bigint;
  /** CPU time of this process since it started, all threads. */
  readonly cpu_user_ns: number;
  readonly cpu_system_ns: number;
}

/** What was completed without error in one part of a slice. */
export interface Work {
  readonly operations: number;
  readonly units: number;
}

/** One walker's path through the workload in a slice, lead-in and measured part together. */
export interface Segment {
  readonly first_command: number;
  readonly operations: number;
}

/** What the client's local cache did since the previous slice ended, or since the first one started. */
export interface LocalCache {
  readonly hits: number;
  readonly misses: number;
  /** Entries dropped because the server said so. */
  readonly invalidations: number;
}

/** The ordered slice is done, and all its replies are in. */
export interface SliceEvent {
  readonly event: "slice";
  readonly trial_id: string;
  readonly slice: number;
  readonly started: Moment;
  readonly measured_from: Moment;
  readonly ended: Moment;
  readonly lead_in: Work;
  readonly measured: Work;
  readonly segments: readonly Segment[];
  readonly errors: Readonly<Record<string, number>>;
  readonly first_error: string | null;
  /** Null outside of `caching`. */
  readonly local_cache: LocalCache | null;
}

/** What one latency sample covers. */
export type SampleCovers = "command" | "burst" | "batch" | "transaction" | "connection";

/** Sparse `[value_ns, count]` pairs, ascending. */
export type HistogramPairs = readonly (readonly [number, number])[];

/** What is reported once, after the last slice. */
export interface ResultEvent {
  readonly event: "result";
  readonly schema_version: number;
  readonly trial_id: string;
  /** Latency in the measured parts of all slices whose samples are kept. */
  readonly latency: {
    readonly sample_covers: SampleCovers;
    readonly histogram: HistogramPairs;
    readonly max_ns: number;
  };
  readonly peak_memory_bytes: number;
  readonly decodes_to: "bytes" | "text";
  readonly runtime_health: Readonly<Record<string, number>>;
  readonly runtime_settings: Readonly<Record<string, string | number | boolean>>;
  readonly versions: Readonly<Record<string, string>>;
}

export type RunnerEvent = LoadedEvent | ReadyEvent | SliceEvent | ResultEvent;
