import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { goldenPath } from "../helpers/contract.js";
import { Runner, sliceOrder, trial } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";

const GOLDEN = goldenPath("golden.workload");
/** Longer than any test. */
const LONG = sliceOrder({ slice: 9, duration_ns: 60e9 });

let server: Server;

before(async () => {
  server = await Server.start();
  await server.preload(GOLDEN);
});
after(() => server.stop());

describe("a target that is lost", { concurrency: true }, () => {
  for (const [scenario, shape, options] of [
    ["sync", {}, {}],
    ["sync", {}, { "command-timeout": "off" }],
    ["pipelining", { depth: 10, window: "sliding" }, { "command-timeout": "off" }],
    ["pool", { threads: 3, max_total: 3 }, { "command-timeout": "off" }],
    ["new-connection", {}, {}],
  ] as const) {
    it(`exits with 4 and no answer in a slice: ${scenario} ${JSON.stringify(options)}`, async (test) => {
      const other = await Server.start();
      test.after(() => other.stop());
      await other.preload(GOLDEN);
      const runner = Runner.with(trial(other.port, { scenario, shape, client: { options } }));
      await runner.ready();
      await runner.slice();
      runner.write(JSON.stringify(LONG));
      await other.worked();
      await other.kill();
      assert.equal(await runner.event(), undefined);
      const ending = await runner.ended();
      assert.equal(ending.exitCode, 4, ending.stderr);
      assert.match(ending.lastLine, /^127\.0\.0\.1:\d+ was lost: .*: see whether it still runs/);
    });
  }

  it("exits with 4 when it does not answer any more, without closing anything", async (test) => {
    const other = await Server.start();
    test.after(() => other.stop());
    await other.preload(GOLDEN);
    const runner = Runner.with(trial(other.port, { client: { options: { "command-timeout": "off" } } }));
    await runner.ready();
    runner.write(JSON.stringify(LONG));
    await other.worked();
    other.freeze();
    const ending = await runner.ended();
    assert.equal(ending.exitCode, 4, ending.stderr);
    assert.match(ending.lastLine, /was lost: no unit succeeded for 10 s: see whether it still runs/);
  });

  it("exits with 4 at the next slice when it went while the runner waited", async (test) => {
    const other = await Server.start();
    test.after(() => other.stop());
    await other.preload(GOLDEN);
    const runner = Runner.with(trial(other.port));
    await runner.ready();
    await runner.slice();
    await other.kill();
    runner.write(JSON.stringify(LONG));
    const ending = await runner.ended();
    assert.equal(ending.exitCode, 4, ending.stderr);
    assert.match(ending.lastLine, /was lost: /);
  });

  it("is waited for when it comes back: errors are counted in their slice, and the slices go on", async (test) => {
    const other = await Server.start();
    test.after(() => other.stop());
    await other.preload(GOLDEN);
    const runner = Runner.with(trial(other.port));
    await runner.ready();
    const working = runner.slice({ duration_ns: 1.5e9 });
    await other.worked();
    await other.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    const cut = await working;
    // A server that closes before it has read the next GET resets the connection.
    const [[kind, count] = [], ...others] = Object.entries(cut.errors);
    assert.deepEqual([count, others], [1, []]);
    assert.match(kind ?? "", /^(?:SocketClosedUnexpectedlyError|ECONNRESET|EPIPE)$/);
    assert.ok(cut.first_error?.startsWith(`${kind}: `), cut.first_error ?? "no message");
    assert.equal(cut.lead_in.operations + cut.measured.operations, cut.segments[0]?.operations);
    const next = await runner.slice({ slice: 2 });
    assert.deepEqual([next.slice, next.errors, next.first_error], [2, {}, null]);
    await runner.finish();
    runner.closeInput();
    assert.equal((await runner.ended()).exitCode, 0);
  });

  it("is left at once on SIGTERM", async () => {
    const runner = Runner.with(trial(server.port));
    await runner.ready();
    runner.write(JSON.stringify(LONG));
    runner.signal("SIGTERM");
    assert.equal((await runner.ended()).stderr, "");
  });
});
