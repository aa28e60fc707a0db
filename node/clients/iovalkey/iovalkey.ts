import type { MakeAdapter } from "../../runner/adapter.js";
import { adapterOf } from "../ioredis/ioredis.js";

/** A fork of ioredis 5, with its API. */
export const adapter: MakeAdapter = adapterOf("iovalkey");
