import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkGo } from "#runner/contract/parse-go.js";
import { NoGo } from "#runner/errors.js";
import { golden } from "../helpers/contract.js";

describe("checkGo", () => {
  it("takes the golden go", () => {
    checkGo(JSON.stringify(golden("go.json")));
  });

  for (const line of [undefined, "", "go", '{"event":"stop"}', '{"event":"go","at":1}']) {
    it(`refuses ${line}`, () => {
      assert.throws(() => checkGo(line), NoGo);
    });
  }
});
