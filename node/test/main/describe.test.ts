import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { Description } from "#runner/contract/description.js";
import { schema } from "../helpers/contract.js";
import { Runner } from "../helpers/runner.js";

describe("describe", () => {
  it("prints one description that fits its schema, with the version that the lock file pins", async () => {
    const runner = new Runner("dist/main.js", "describe");
    const description = await runner.event<Description>();
    const check = schema("description");
    assert.ok(check(description), JSON.stringify(check.errors));
    const lock = JSON.parse(readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8"));
    const [client] = description?.clients ?? [];
    assert.equal(client?.version, lock.packages["node_modules/redis"].version);
    assert.deepEqual(client?.options, {
      "command-timeout": ["default", "off"],
      protocol: [3, 2],
      decode: ["text", "bytes"],
    });
    assert.deepEqual(
      client?.differences.map(({ setting, scenarios }) => [setting, scenarios]),
      [
        ["minimum of createClientPool", ["pool"]],
        ["maxEntries of BasicClientSideCache", ["caching"]],
        ["invalidate() of BasicClientSideCache", ["caching"]],
      ],
    );
    assert.ok(!("threads" in (client?.scenarios ?? {})));
    assert.deepEqual(description?.missing, []);
    assert.equal((await runner.ended()).exitCode, 0);
  });

  it("is told apart from a command that does not exist", async () => {
    const { exitCode, lastLine } = await new Runner("dist/main.js", "measure").ended();
    assert.equal(exitCode, 1);
    assert.equal(lastLine, "usage: node dist/main.js [--environment NAME] describe|run");
  });
});
