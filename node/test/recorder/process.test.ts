import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { jsonOf } from "#runner/main/channel.js";
import { beginning, ending, peakMemoryBytes } from "#runner/recorder/process.js";

describe("a moment", () => {
  for (const [name, read] of [
    ["beginning", beginning],
    ["ending", ending],
  ] as const) {
    it(`has CLOCK_MONOTONIC and the CPU used so far: ${name}`, () => {
      const clock = process.hrtime.bigint();
      const cpu = process.cpuUsage();
      const moment = read();
      assert.ok(clock <= moment.at_ns && moment.at_ns <= process.hrtime.bigint());
      assert.ok(cpu.user * 1000 <= moment.cpu_user_ns && cpu.system * 1000 <= moment.cpu_system_ns);
    });
  }

  it("is printed exactly, however long ago the machine started", () => {
    const at_ns = 2n ** 53n + 1n;
    assert.equal(jsonOf({ ...ending(), at_ns, text: "\u0000x" }).match(/"at_ns":(\d+),/)?.[1], "9007199254740993");
    assert.equal(jsonOf({ text: "2 \u0000 3", list: [7n] }), '{"text":"2 \\u0000 3","list":[7]}');
  });
});

describe("peakMemoryBytes", () => {
  it("is the process's own, not that of the one that started it", () => {
    const ballast = Buffer.alloc(300e6, 1);
    const module = new URL("../../recorder/process.js", import.meta.url);
    const script = `console.log((await import(${JSON.stringify(module)})).peakMemoryBytes())`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    assert.ok(peakMemoryBytes() > ballast.length);
    assert.ok(Number(stdout) > 1e6 && Number(stdout) < 300e6, stdout);
  });
});
