import process from "node:process";
import { getHeapStatistics } from "node:v8";

/** Threads of libuv's pool (host names, files, cryptography), unless the environment sets another number. */
const UV_THREADS = 4;

/** What a reader must know about the runtime. */
export function runtimeSettings(): Record<string, string | number> {
  return {
    clock: "performance.now",
    node_flags: process.execArgv.join(" "),
    node_options: process.env["NODE_OPTIONS"] ?? "",
    heap_limit_bytes: getHeapStatistics().heap_size_limit,
    uv_threadpool_size: Number(process.env["UV_THREADPOOL_SIZE"] ?? UV_THREADS),
  };
}
