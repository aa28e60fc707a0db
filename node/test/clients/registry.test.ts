import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadersOf, loadLibrary, surveyLibraries } from "#runner/clients/registry.js";
import type { ClientChoice } from "#runner/contract/trial.js";
import { InvalidInput, Unsupported } from "#runner/errors.js";

const choice = (changes: Partial<ClientChoice>): ClientChoice => ({
  library: "node-redis",
  version: null,
  options: {},
  ...changes,
});

const LOADERS = loadersOf("default");

describe("loadLibrary", () => {
  it("loads the version that is installed, asked for or not", async () => {
    const { description } = await loadLibrary(choice({}), LOADERS);
    assert.equal(
      (await loadLibrary(choice({ version: description.version }), LOADERS)).description.library,
      "node-redis",
    );
  });

  it("refuses another version, and names the one it has", async () => {
    const loading = loadLibrary(choice({ version: "0.0.1" }), LOADERS);
    await assert.rejects(
      loading,
      /this environment has node-redis \d+\.\d+\.\d+, not 0\.0\.1: run the trial in the environment node-redis-0\.0\.1/,
    );
    await assert.rejects(loading, Unsupported);
  });

  const refused: readonly [Partial<ClientChoice>, RegExp][] = [
    [{ library: "a-library" }, /trial\.client\.library must be one of node-redis, not a-library/],
    [{ options: { parser: "fast" } }, /trial\.client\.options\.parser is unknown; known are command-timeout, protocol/],
    [{ options: { protocol: 4 } }, /trial\.client\.options\.protocol must be one of 3, 2, not 4/],
  ];
  for (const [changes, message] of refused) {
    it(`refuses ${JSON.stringify(changes)}`, async () => {
      await assert.rejects(loadLibrary(choice(changes), LOADERS), message);
      await assert.rejects(loadLibrary(choice(changes), LOADERS), InvalidInput);
    });
  }
});

describe("surveyLibraries", () => {
  it("says in the runtime's own words what is missing, and what to do", async () => {
    const broken = () => Promise.reject(new Error("Cannot find package 'x'\nRequire stack:"));
    const { clients, missing } = await surveyLibraries({ x: broken });
    assert.deepEqual(clients, []);
    assert.deepEqual(missing, [
      {
        library: "x",
        reason: "Cannot find package 'x'",
        advice: "run `npm ci` and `npm run build` in the folder node",
      },
    ]);
  });
});
