import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Runner, trial } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";
import { writeWorkload } from "../helpers/workload-file.js";

interface Bare {
  readonly operations: number;
  readonly elapsed_ns: number;
  readonly cpu_ns: number;
}

const KEY = { kind: "key" } as const;
const MIX = [
  { name: "GET", arguments: [KEY] },
  { name: "GET", arguments: [KEY] },
  { name: "SET", arguments: [KEY, { kind: "value" } as const] },
];

let server: Server;
let path: string;

before(async () => {
  server = await Server.start();
  path = join(server.folder, "plain.workload");
  writeWorkload(path, MIX, 30);
});
after(() => server.stop());

describe("the bare loops", () => {
  for (const [scenario, shape] of [
    ["sync", {}],
    ["batching", { depth: 6 }],
    ["pipelining", { depth: 6, window: "burst" }],
    ["pipelining", { depth: 6, window: "sliding" }],
  ] as const) {
    it(`do as many commands as they say, of the workload: ${scenario} ${JSON.stringify(shape)}`, async () => {
      const client = { options: { "command-timeout": "off" } };
      const bare = new Runner("bare/node-redis.mjs");
      bare.write(JSON.stringify(trial(server.port, { scenario, shape, client, workload: { path } })));
      assert.deepEqual(await bare.event(), { event: "ready" });
      await server.command("CONFIG", "RESETSTAT");
      bare.write('{"event":"go"}');
      const result = await bare.event<Bare>();
      const { get = 0, set = 0 } = await server.calls();
      assert.equal(result?.operations, get + set);
      assert.ok(Math.abs(get - 2 * set) <= 2, `${get} GETs, ${set} SETs`);
      assert.ok(result.elapsed_ns >= 0.1e9 && result.cpu_ns > 0);
      assert.equal((await bare.ended()).exitCode, 0);
    });
  }

  it("refuse what they do not have", async () => {
    const bare = new Runner("bare/node-redis.mjs");
    bare.write(JSON.stringify(trial(server.port, { scenario: "new-connection", workload: { path } })));
    const { exitCode, lastLine } = await bare.ended();
    assert.equal(exitCode, 1);
    assert.match(lastLine, /no bare loop for new-connection/);
  });
});
