import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Runner } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";
import { writeWorkload } from "../helpers/workload-file.js";

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

/** A bare loop with these words of its command line. */
function bareLoop(...words: string[]): Runner {
  const target = ["--host", "127.0.0.1", "--port", `${server.port}`, "--workload", path];
  return new Runner("bare/node-redis.mjs", ...target, ...words);
}

describe("the bare loops", () => {
  for (const words of [
    "sync",
    "batching --depth 6",
    "pipelining --depth 6",
    "pipelining --depth 6 --window sliding",
    "batching --depth 6 --command-timeout off --protocol 2",
  ]) {
    it(`do as many commands as they say, from the command that they are told: ${words}`, async () => {
      const bare = bareLoop("--scenario", ...words.split(" "));
      assert.equal(await bare.line(), "ready");
      const depth = words === "sync" || words.includes("sliding") ? 1 : 6;
      for (const first of [2, 31]) {
        await server.command("CONFIG", "RESETSTAT");
        bare.write(`0.05 ${first}`);
        const [operations = 0, elapsed = 0, cpu = 0] = ((await bare.line()) ?? "").split(" ").map(Number);
        const { get = 0, set = 0 } = await server.calls();
        assert.equal(operations, get + set);
        assert.equal(operations % depth, 0);
        const walked = Array.from({ length: operations }, (_, index) => (first + index) % MIX.length);
        assert.equal(set, walked.filter((index) => MIX[index]?.name === "SET").length);
        assert.ok(elapsed >= 0.05e9 && cpu > 0);
      }
      bare.closeInput();
      const { exitCode, stderr } = await bare.ended();
      assert.deepEqual([exitCode, stderr], [0, ""]);
    });
  }

  for (const [words, complaint] of [
    ["--scenario new-connection", /no bare loop for new-connection/],
    ["--scenario transaction --form batched", /'--form'/],
  ] as const) {
    it(`refuse what they do not have: ${words}`, async () => {
      const { exitCode, lastLine } = await bareLoop(...words.split(" ")).ended();
      assert.equal(exitCode, 1);
      assert.match(lastLine, complaint);
    });
  }

  it("refuse a line that they do not understand", async () => {
    const bare = bareLoop("--scenario", "sync");
    assert.equal(await bare.line(), "ready");
    bare.write("go");
    const { exitCode, lastLine } = await bare.ended();
    assert.equal(exitCode, 1);
    assert.equal(lastLine, "expected SECONDS FIRST_COMMAND, not go");
  });
});
