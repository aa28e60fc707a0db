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
  ["too short a value", hit, value(3), /has 3 bytes, which is no size of this workload/],
  ["another value", hit, `${value(63)}!`, /is not the value of its key/],
  ["no value", hit, null, /must be a value, but the key does not exist/],
  ["bytes instead of text", hit, Buffer.from(value(64)), /must be a value as text, not/],
  ["a miss", miss, null, undefined],
  ["a value where none can be", miss, value(64), /must be null, not/],
  ["OK to a SET", first("SET"), "OK", undefined],
  ["null to a SET", first("SET"), null, /must be "OK", not null/],
  ["PONG to a PING", first("PING"), "PONG", undefined],
  ["PING to a PING", first("PING"), "PING", /must be "PONG", not "PING"/],
  ["anything to another command", first("GETRANGE"), "abcd", undefined],
  ["an error to another command", first("GETRANGE"), new Error("WRONGTYPE"), /must be no error, not "WRONGTYPE"/],
];

const commands = readWorkload(goldenPath("commands.workload"));
const of = (name: string) =>
  Array.from({ length: commands.length }, (_, index) => index).find((i) => commands.command(i).name === name) ?? -1;
const valueFor = (name: string, size = 8) => commands.value(commands.keyNumber(of(name)), size);
const inHash = (size: number) => Object.fromEntries([1, 2, 3, 4].map((field) => [field, valueFor("HGETALL", size)]));

const REPLIES: readonly [string, unknown, RegExp | undefined][] = [
  ["MGET", [valueFor("MGET")], /must be 2 values/],
  ["MGET", [valueFor("MGET"), valueFor("MGET")], /is not the value of its key|must be null/],
  ["MSET", "OK", undefined],
  ["LTRIM", null, /must be "OK"/],
  ["INCRBY", 2, undefined],
  ["LPUSH", 0, /must be a number above 0/],
  ["SADD", 0, undefined],
  ["ZADD", 1, /must be 0, not 1/],
  ["EXPIRE", 0, /must be 1, not 0/],
  ["LRANGE", Array(4).fill(valueFor("LRANGE")), undefined],
  ["LRANGE", Array(3).fill(valueFor("LRANGE")), /must be 4 values/],
  ["HGETALL", inHash(8), undefined],
  ["HGETALL", inHash(3), /has 3 bytes, which is no size/],
  ["HGETALL", [], /must be fields with values/],
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
    assert.match(mismatch(ofBytes, hit, value(64)) ?? "nothing", /must be a value as bytes, not/);
    assert.match(mismatch(ofBytes, hit, Buffer.from(`${value(63)}!`)) ?? "nothing", /is not the value of its key/);
  });
});

describe("commandText", () => {
  it("writes a command as people do", () => {
    assert.equal(commandText(workload, 1), "command 1 of the workload, GETRANGE key:0000004 0 3");
  });
});
