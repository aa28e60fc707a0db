/** Connect and verify replies. */
export interface ConnectOrder {
  readonly order: "connect";
}

/** Work for one slice. */
export interface SliceOrder {
  readonly order: "slice";
  /** The slice's number within the trial, counted from 1. */
  readonly slice: number;
  readonly durationNs: number;
  /** How long the lead-in runs before the measured part; 0: there is no lead-in. */
  readonly leadInNs: number;
  readonly firstCommand: number;
  /** Whether the latencies of the measured part go into the result. */
  readonly keepSamples: boolean;
}

/** Print the result. */
export interface FinishOrder {
  readonly order: "finish";
}

export type Order = ConnectOrder | SliceOrder | FinishOrder;

export type OrderName = Order["order"];
