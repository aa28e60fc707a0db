import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Calls } from "#runner/clients/calls.js";

describe("Calls", () => {
  it("passes every number of arguments as they are, with the target as this", () => {
    const calls = new Calls(Uint8Array.from([0, 1, 2, 3, 4]), 5, (index) => ({
      method: "record",
      values: Array.from({ length: index }, (_, place) => `${index}.${place}`),
    }));
    const target = { seen: [] as unknown[][], record };
    for (let index = 0; index < calls.length; index += 1) {
      calls.send(target as never, index);
    }
    assert.deepEqual(target.seen, [[], ["1.0"], ["2.0", "2.1"], ["3.0", "3.1", "3.2"], ["4.0", "4.1", "4.2", "4.3"]]);
  });
});

function record(this: { seen: unknown[][] }, ...values: unknown[]): void {
  this.seen.push(values);
}
