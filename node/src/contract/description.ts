import type { OptionValue, PipeliningWindow, Scenario, TransactionForm } from "./trial.js";

/** The variants of a scenario that a client has. */
export interface ScenarioSupport {
  readonly windows: readonly PipeliningWindow[];
  readonly forms: readonly TransactionForm[];
}

/** What a client can express; a scenario that is absent is unsupported. */
export type Scenarios = Readonly<Partial<Record<Scenario, ScenarioSupport>>>;

/** Every option with the values that it takes, the default first. */
export type Options = Readonly<Record<string, readonly OptionValue[]>>;

/** One thing in which a library, or its runtime, is not set as a plain install is; no scenarios: in all of them. */
export interface Difference {
  readonly setting: string;
  readonly plain: string;
  readonly ours: string;
  readonly why: string;
  readonly scenarios: readonly Scenario[];
}

/** One client library that can be driven here and now. */
export interface ClientDescription {
  readonly library: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly options: Options;
  readonly scenarios: Scenarios;
  readonly differences: readonly Difference[];
}

/** One client library that is known but cannot be loaded. */
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
