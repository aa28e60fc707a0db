import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonOf } from "#runner/main/channel.js";
import { closingMoment, openingMoment } from "#runner/recorder/moment.js";

describe("a moment", () => {
  for (const [name, read] of [
    ["opening", openingMoment],
    ["closing", closingMoment],
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
    assert.equal(
      jsonOf({ ...closingMoment(), at_ns, text: "\u0000x" }).match(/"at_ns":(\d+),/)?.[1],
      "9007199254740993",
    );
    assert.equal(jsonOf({ text: "2 \u0000 3", list: [7n] }), '{"text":"2 \\u0000 3","list":[7]}');
  });
});
