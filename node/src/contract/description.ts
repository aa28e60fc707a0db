import type { OptionValue, PipeliningWindow, Scenario, TransactionForm } from "./trial.js";

/** The variants of a scenario that a client can express. */
export interface ScenarioSupport {
  readonly windows: readonly PipeliningWindow[];
  readonly forms: readonly TransactionForm[];
}

/** What a client can express; an absent scenario is unsupported. */
export type Scenarios = Readonly<Partial<Record<Scenario, ScenarioSupport>>>;

/** Every option with its possible values, the default first. */
export type Options = Readonly<Record<string, readonly OptionValue[]>>;

/** One setting of a library, or of its runtime, that differs from a plain install; no scenarios: in all of them. */
export interface Difference {
  readonly setting: string;
  readonly plain: string;
  readonly ours: string;
  readonly why: string;
  readonly scenarios: readonly Scenario[];
}

/** A client library that can be driven here. */
export interface ClientDescription {
  readonly library: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly options: Options;
  readonly scenarios: Scenarios;
  readonly differences: readonly Difference[];
}

/** A client library that cannot be loaded here, and what to do. */
export interface MissingClient {
  readonly library: string;
  readonly reason: string;
  readonly advice: string;
}

/** The answer to `describe`. */
export interface Description {
  readonly schema_version: number;
  readonly runner: string;
  readonly runtime: string;
  readonly runtime_version: string;
  readonly clients: readonly ClientDescription[];
  readonly missing: readonly MissingClient[];
}
