import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HealthRecorder, peakMemoryBytes } from "#runner/recorder/health.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const pass = () => new Promise(setImmediate);

describe("HealthRecorder", () => {
  it("counts collections from the first slice whose samples are kept, those between slices too", async () => {
    const health = new HealthRecorder();
    await health.during(false, async () => collect());
    collect();
    await pass();
    const kept = new HealthRecorder();
    await kept.during(true, async () => collect());
    await kept.during(false, async () => collect());
    collect();
    assert.equal((await health.finish())["gc_collections"], 0);
    const told = await kept.finish();
    assert.ok((told["gc_collections"] ?? 0) >= 3, JSON.stringify(told));
    assert.ok((told["gc_pause_ns"] ?? 0) > 0 && Number.isInteger(told["gc_pause_ns"]));
  });

  it("tells how busy the event loop was inside slices, and nothing where there was none", async () => {
    const health = new HealthRecorder();
    await pass();
    await health.during(true, () => new Promise((resolve) => setTimeout(resolve, 20)));
    const utilization = (await health.finish())["event_loop_utilization"] ?? -1;
    assert.ok(utilization > 0 && utilization < 1, `${utilization}`);
    assert.equal((await new HealthRecorder().finish())["event_loop_utilization"], 0);
  });

  it("hands on what the slice gave", async () => {
    assert.equal(await new HealthRecorder().during(true, () => Promise.resolve(7)), 7);
  });
});

describe("peakMemoryBytes", () => {
  it("is the process's own, not that of the one that started it", () => {
    const ballast = Buffer.alloc(300e6, 1);
    const module = new URL("../../recorder/health.js", import.meta.url);
    const script = `console.log((await import(${JSON.stringify(module)})).peakMemoryBytes())`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    assert.ok(peakMemoryBytes() > ballast.length);
    assert.ok(Number(stdout) > 1e6 && Number(stdout) < 300e6, stdout);
  });
});
