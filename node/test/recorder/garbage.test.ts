import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";

/** Sizes of the space for new objects, in a process of its own: after lasting objects, and after others. */
function sizes(make: string): readonly number[] {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { makeLasting } from ${JSON.stringify(new URL("../../recorder/garbage.js", import.meta.url))};
    const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
    const objects = () => Array.from({ length: 500_000 }, (_, index) => ({ index }));
    const lasting = ${make}(objects);
    const after = size();
    const others = objects();
    console.log(JSON.stringify([after, size()]), lasting.length, others.length);`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  return JSON.parse(stdout.split(" ")[0] ?? "");
}

describe("makeLasting", () => {
  it("keeps the space for new objects as it is, and lets it grow afterwards", () => {
    const [grown = 0] = sizes("((make) => make())");
    const [lasting = 0, others = 0] = sizes("makeLasting");
    assert.ok(lasting < grown, `${lasting}, and ${grown} without it`);
    assert.ok(others > lasting, `${others} after ${lasting}`);
  });
});
