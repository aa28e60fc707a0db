import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import type { Description } from "#runner/contract/description.js";
import { goldenPath } from "../helpers/contract.js";
import { Runner, trial } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";

const ENVIRONMENT = "node-redis-3.1.2";
const CLIENT = { library: "node-redis", version: "3.1.2" };
const COMMAND = ["dist/main.js", "--environment", ENVIRONMENT];
const folder = new URL(`../../../environments/${ENVIRONMENT}/node_modules`, import.meta.url);
/** Where languages are required, it must be there. */
const skip =
  existsSync(folder) || process.env["RESPMARK_REQUIRE"] !== undefined ? false : "`make setup` has not made it";

let server: Server;

before(async () => {
  server = await Server.start();
  await server.preload(goldenPath("golden.workload"));
});
after(() => server.stop());

function older(scenario: string, shape: object): Runner {
  const runner = new Runner(...COMMAND, "run");
  runner.write(JSON.stringify(trial(server.port, { scenario, shape, client: CLIENT })));
  return runner;
}

describe(ENVIRONMENT, { skip }, () => {
  it("is the version that is loaded", async () => {
    const { clients, missing } = (await new Runner(...COMMAND, "describe").event<Description>()) as Description;
    assert.deepEqual([clients.map(({ version }) => version), missing], [["3.1.2"], []]);
  });

  const shapes: readonly [string, object][] = [
    ["sync", {}],
    ["pipelining", { depth: 7, window: "burst" }],
    ["pipelining", { depth: 7, window: "sliding" }],
    ["batching", { depth: 7 }],
    ["transaction", { depth: 7, form: "batched" }],
    ["new-connection", {}],
  ];
  for (const [scenario, shape] of shapes) {
    it(`does ${scenario} ${JSON.stringify(shape)} over the connections of its units`, async () => {
      const runner = older(scenario, shape);
      await runner.ready();
      await server.command("CONFIG", "RESETSTAT");
      const { errors, lead_in, measured } = await runner.slice();
      assert.deepEqual(errors, {});
      const connections = await server.figure("stats", "total_connections_received");
      assert.equal(connections, scenario === "new-connection" ? lead_in.units + measured.units : 0);
      assert.equal((await runner.finish()).versions["node-redis"], "3.1.2");
      runner.closeInput();
      assert.equal((await runner.ended()).exitCode, 0);
    });
  }

  it("has no pool", async () => {
    const { exitCode, lastLine } = await older("pool", { threads: 2, max_total: 2 }).ended();
    assert.deepEqual([exitCode, lastLine], [3, "node-redis cannot do this pool: node-redis 3 has no pool"]);
  });
});
