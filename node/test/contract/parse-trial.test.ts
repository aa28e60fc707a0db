import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseTrial } from "#runner/contract/parse-trial.js";
import { InvalidInput } from "#runner/errors.js";
import { goldenLines } from "../helpers/contract.js";
import { trial } from "../helpers/runner.js";

/** What each golden invalid trial must be refused for. */
const REASONS: Readonly<Record<string, RegExp>> = {
  "depth-of-zero.json": /trial\.shape\.depth must be an integer, 1 or more, not 0/,
  "newer-schema.json": /schema_version is 3, and this runner reads 2: update the runner/,
  "no-cache-entries.json": /trial\.shape\.cache_entries is missing/,
  "no-depth.json": /trial\.shape\.depth is missing/,
  "no-host-and-no-socket.json": /either host and port, or unix_socket/,
  "no-scenario.json": /trial\.scenario must be one of sync, /,
  "number-as-text.json": /trial\.verify_commands must be an integer, 0 or more, not "100"/,
  "older-schema.json": /schema_version is 1, and this runner reads 2: update what wrote it/,
  "shape-of-another-scenario.json": /trial\.shape\.max_total has no meaning for batching/,
  "unknown-field-in-shape.json": /trial\.shape has no field "pipeline"/,
  "unknown-field.json": /trial has no field "warm_up_s"/,
  "unknown-scenario.json": /trial\.scenario must be one of .*, not "bulk"/,
};

describe("parseTrial", () => {
  for (const { name, line } of goldenLines("trials", "valid")) {
    it(`takes the golden trial ${name}`, () => {
      assert.equal(parseTrial(line).trialId, "golden");
    });
  }

  for (const { name, line } of goldenLines("trials", "invalid")) {
    it(`refuses the golden trial ${name} and says why`, () => {
      assert.throws(() => parseTrial(line), {
        name: "Error",
        message: REASONS[name] ?? /^an example without a reason$/,
      });
      assert.throws(() => parseTrial(line), InvalidInput);
    });
  }

  it("fills in defaults", () => {
    const { verify_commands: _, ...rest } = trial(6379);
    const parsed = parseTrial(JSON.stringify(rest));
    assert.deepEqual(parsed.client, { library: "node-redis", version: null, options: {} });
    assert.equal(parsed.verifyCommands, 100);
    assert.deepEqual([parsed.workload.part, parsed.workload.parts], [0, 1]);
    assert.deepEqual([parsed.target.database, parsed.target.password, parsed.target.tls], [0, null, null]);
  });

  it("does not repeat the password of a trial that is not JSON", () => {
    const line = JSON.stringify(trial(6379, { target: { password: "hidden-word" } })).slice(0, -1);
    assert.throws(() => parseTrial(line), /^(?!.*hidden-word).*not JSON/);
  });

  const refused: readonly [string, object, RegExp][] = [
    [
      "a part beyond the parts",
      { workload: { part: 2, parts: 2 } },
      /trial\.workload\.part must be an integer from 0 to 1/,
    ],
    ["a list as option", { client: { options: { protocol: [2] } } }, /trial\.client\.options\.protocol must be a text/],
    ["both addresses", { target: { host: "h", port: 1, unix_socket: "/s" } }, /either host and port, or unix_socket/],
    ["a port out of range", { target: { host: "h", port: 65536 } }, /port must be an integer from 1 to 65535/],
    ["an unknown field of tls", { target: { host: "h", port: 1, tls: { ca: "x" } } }, /tls has no field "ca"/],
    ["half a unit", { scenario: "batching", shape: { depth: 1.5 } }, /depth must be an integer/],
    ["no library", { client: { library: "" } }, /trial\.client\.library must be a text that is not empty/],
    ["a null shape", { shape: null }, /trial\.shape must be a JSON object, not null/],
  ];
  for (const [name, changes, message] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(() => parseTrial(JSON.stringify(trial(6379, changes))), message);
    });
  }
});
