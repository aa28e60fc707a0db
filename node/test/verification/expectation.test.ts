import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandText, mismatch } from "#runner/verification/expectation.js";
import { readWorkload } from "#runner/workload/file.js";
import { goldenPath } from "../helpers/contract.js";

const workload = readWorkload(goldenPath("golden.workload"));
const ofBytes = readWorkload(goldenPath("golden.workload"), "bytes");
const indexes = Array.from({ length: workload.length }, (_, index) => index);
const first = (name: string, fits: (index: number) => boolean = () => true) =>
  indexes.find((index) => workload.command(index).name === name && fits(index)) ?? -1;
const hit = first("GET", (index) => workload.keyNumber(index) < workload.header.preloadKeys);
const miss = first("GET", (index) => workload.keyNumber(index) >= workload.header.preloadKeys);
const value = (size: number) => workload.value(workload.keyNumber(hit), size).toString();

const CASES: readonly [string, number, unknown, RegExp | undefined][] = [
  ["the value of a key", hit, value(64), undefined],
  ["any other size of it", hit, value(4), undefined],
  ["too short a value", hit, value(3), /expected 4 to 128 bytes, got 3/],
  ["another value", hit, `${value(63)}!`, /differs from the key's value at byte 63/],
  ["no value", hit, null, /expected the key's value as text, got null/],
  ["bytes instead of text", hit, Buffer.from(value(64)), /expected the key's value as text/],
  ["a miss", miss, null, undefined],
  ["a value where none can be", miss, value(64), /expected null, got/],
  ["OK to a SET", first("SET"), "OK", undefined],
  ["null to a SET", first("SET"), null, /expected "OK", got null/],
  ["PONG to a PING", first("PING"), "PONG", undefined],
  ["PING to a PING", first("PING"), "PING", /expected "PONG", got "PING"/],
  ["anything to another command", first("GETRANGE"), "abcd", undefined],
  [
    "an error to another command",
    first("GETRANGE"),
    new Error("WRONGTYPE"),
    /expected no error, got "WRONGTYPE"|WRONGTYPE/,
  ],
];

const commands = readWorkload(goldenPath("commands.workload"));
const of = (name: string) =>
  Array.from({ length: commands.length }, (_, index) => index).find((i) => commands.command(i).name === name) ?? -1;
const valueFor = (name: string, size = 8) => commands.value(commands.keyNumber(of(name)), size);
const inHash = (size: number) => Object.fromEntries([1, 2, 3, 4].map((field) => [field, valueFor("HGETALL", size)]));

const REPLIES: readonly [string, unknown, RegExp | undefined][] = [
  ["MGET", [valueFor("MGET")], /expected 2 values/],
  ["MGET", [valueFor("MGET"), valueFor("MGET")], /differs from the key's value|expected null/],
  ["MSET", "OK", undefined],
  ["LTRIM", null, /expected "OK"/],
  ["INCRBY", 2, undefined],
  ["LPUSH", 0, /expected a number above 0/],
  ["SADD", 0, undefined],
  ["ZADD", 1, /expected 0, got 1/],
  ["EXPIRE", 0, /expected 1, got 0/],
  ["LRANGE", Array(4).fill(valueFor("LRANGE")), undefined],
  ["LRANGE", Array(3).fill(valueFor("LRANGE")), /expected 4 values/],
  ["HGETALL", inHash(8), undefined],
  ["HGETALL", inHash(3), /expected 4 to 64 bytes/],
  ["HGETALL", [], /expected fields with values/],
];

describe("mismatch", () => {
  for (const [name, reply, complaint] of REPLIES) {
    it(`${complaint === undefined ? "takes" : "refuses"} ${JSON.stringify(reply).slice(0, 20)} to ${name}`, () => {
      const found = mismatch(commands, of(name), reply);
      if (complaint === undefined) {
        assert.equal(found, undefined);
      } else {
        assert.match(found ?? "nothing", complaint);
      }
    });
  }

  for (const [name, index, reply, complaint] of CASES) {
    it(`${complaint === undefined ? "takes" : "refuses"} ${name}`, () => {
      const found = mismatch(workload, index, reply);
      if (complaint === undefined) {
        assert.equal(found, undefined);
      } else {
        assert.match(found ?? "nothing", complaint);
      }
    });
  }
});

describe("mismatch where values are bytes", () => {
  it("takes bytes and refuses text", () => {
    assert.equal(mismatch(ofBytes, hit, Buffer.from(value(64))), undefined);
    assert.match(mismatch(ofBytes, hit, value(64)) ?? "nothing", /expected the key's value as bytes/);
    assert.match(mismatch(ofBytes, hit, Buffer.from(`${value(63)}!`)) ?? "nothing", /at byte 63/);
  });
});

describe("commandText", () => {
  it("writes a command as people do", () => {
    assert.equal(commandText(workload, 1), "command 1 (GETRANGE key:0000004 0 3)");
  });
});
