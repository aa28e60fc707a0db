import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { goldenPath } from "../helpers/contract.js";
import { Runner, trial } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";

const GOLDEN = goldenPath("golden.workload");

let server: Server;

before(async () => {
  server = await Server.start();
  await server.preload(GOLDEN);
});
after(() => server.stop());

describe("a target that is lost in the window", { concurrency: true }, () => {
  for (const [scenario, shape, options] of [
    ["sync", {}, {}],
    ["sync", {}, { "command-timeout": "off" }],
    ["pipelining", { depth: 10, window: "sliding" }, { "command-timeout": "off" }],
    ["pool", { threads: 3, max_total: 3 }, { "command-timeout": "off" }],
    ["new-connection", {}, {}],
  ] as const) {
    it(`exits with 4 and no result: ${scenario} ${JSON.stringify(options)}`, async (test) => {
      const other = await Server.start();
      test.after(() => other.stop());
      await other.preload(GOLDEN);
      const request = trial(other.port, { scenario, shape, client: { options }, measure_s: 60 });
      const runner = Runner.with(request);
      await runner.ready();
      runner.write('{"event":"go"}');
      await runner.event();
      await other.kill();
      const ending = await runner.ended();
      assert.equal(ending.exitCode, 4, ending.stderr);
      assert.match(ending.lastLine, /^127\.0\.0\.1:\d+ was lost: .*: see whether it still runs/);
    });
  }

  it("is waited for when it comes back: its errors are counted, the window goes on", async (test) => {
    const other = await Server.start();
    test.after(() => other.stop());
    await other.preload(GOLDEN);
    const runner = Runner.with(trial(other.port, { measure_s: 1.5 }));
    await runner.ready();
    const measuring = runner.measured();
    const cut = setTimeout(() => other.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"), 300);
    const { result } = await measuring;
    clearTimeout(cut);
    assert.deepEqual(result.errors, { SocketClosedUnexpectedlyError: 1 });
    assert.match(result.first_error ?? "", /^SocketClosedUnexpectedlyError: /);
    assert.equal(result.operations, result.segments[0]?.operations);
    runner.closeInput();
  });

  it("is left at once on SIGTERM", async () => {
    const runner = Runner.with(trial(server.port, { measure_s: 60 }));
    await runner.ready();
    runner.write('{"event":"go"}');
    runner.signal("SIGTERM");
    assert.equal((await runner.ended()).stderr, "");
  });
});
