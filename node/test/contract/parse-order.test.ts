import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OrderName } from "#runner/contract/orders.js";
import { parseOrder } from "#runner/contract/parse-order.js";
import { InvalidInput } from "#runner/errors.js";
import { golden, goldenLines } from "../helpers/contract.js";

const ALL: readonly OrderName[] = ["connect", "slice", "finish"];

/** What each golden invalid order must be refused for. */
const REASONS: Readonly<Record<string, RegExp>> = {
  "duration-of-zero.json": /order slice\.duration_ns must be an integer, 1 or more, not 0/,
  "keep-as-number.json": /order slice\.keep_samples must be true or false, not 1/,
  "negative-lead-in.json": /order slice\.lead_in_ns must be an integer, 0 or more, not -1/,
  "no-duration.json": /order slice\.duration_ns is missing/,
  "no-order.json": /order\.order is missing/,
  "number-as-text.json": /order slice\.first_command must be an integer, 0 or more, not "60"/,
  "slice-of-zero.json": /order slice\.slice must be an integer, 1 or more, not 0/,
  "unknown-field-in-finish.json": /order finish has no field "slice"/,
  "unknown-field.json": /order has no field "duration_s"/,
  "unknown-order.json": /order\.order must be one of connect, slice, finish, not "go"/,
};

describe("parseOrder", () => {
  for (const { name, line } of goldenLines("orders", "valid")) {
    it(`takes the golden order ${name}`, () => {
      assert.equal(parseOrder(line, ALL).order, golden<{ order: string }>(`orders/valid/${name}`).order);
    });
  }

  it("takes every field of a slice", () => {
    const order = parseOrder(JSON.stringify(golden("orders/valid/slice.json")), ["slice"]);
    const fields = { slice: 1, durationNs: 100_000_000, leadInNs: 50_000_000, firstCommand: 60, keepSamples: true };
    assert.deepEqual(order, { order: "slice", ...fields });
  });

  it("has no lead-in where none is named", () => {
    const line = '{"order":"slice","slice":1,"duration_ns":1,"first_command":0,"keep_samples":false}';
    assert.equal(parseOrder(line, ["slice"]).leadInNs, 0);
  });

  for (const { name, line } of goldenLines("orders", "invalid")) {
    it(`refuses the golden order ${name} and says why, and what is due`, () => {
      const reason = REASONS[name] ?? /^an example without a reason$/;
      assert.throws(() => parseOrder(line, ["slice", "finish"]), { message: reason });
      assert.throws(() => parseOrder(line, ["slice", "finish"]), /; due: slice or finish$/);
      assert.throws(() => parseOrder(line, ALL), InvalidInput);
    });
  }

  for (const [line, due, message] of [
    ['{"order":"finish"}', ["connect"], "the order finish is not due; due: connect"],
    ['{"order":"connect"}', ["slice", "finish"], "the order connect is not due; due: slice or finish"],
    ['{"order":"finish"}', [], "the order finish is not due; due: the end of standard input"],
    ["", ["connect"], "the order is not JSON: it must be one JSON object on one line; due: connect"],
    ['["connect"]', ["connect"], 'order must be a JSON object, not ["connect"]; due: connect'],
  ] as const) {
    it(`refuses ${line || "an empty line"} where ${due.join(" or ") || "nothing"} is due`, () => {
      assert.throws(() => parseOrder(line, due), { message });
    });
  }
});
