import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Calls } from "#runner/clients/calls.js";

describe("Calls", () => {
  it("passes every number of values as they are, with the target as this", () => {
    const calls = new Calls(6);
    for (let arity = 0; arity <= 4; arity += 1) {
      const values = Array.from({ length: arity }, (_, place) => `${arity}.${place}`);
      calls.put(arity, calls.add({ method: "record", values }));
    }
    calls.put(5, 3, "its own");
    const target = { seen: [] as unknown[][], record };
    for (let index = 0; index < 6; index += 1) {
      calls.send(target as never, index);
    }
    assert.deepEqual(target.seen, [
      [],
      ["1.0"],
      ["2.0", "2.1"],
      ["3.0", "3.1", "3.2"],
      ["4.0", "4.1", "4.2", "4.3"],
      ["its own", "3.1", "3.2"],
    ]);
  });
});

function record(this: { seen: unknown[][] }, ...values: unknown[]): void {
  this.seen.push(values);
}
