import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConnectionFailed, Lost, Watchdog } from "#runner/scenarios/watchdog.js";

const never = () => new Promise<never>(() => undefined);
const alive = { silenceMs: 20, afterErrorMs: 20 };

describe("Watchdog", () => {
  it("settles as the work does", async () => {
    const watchdog = new Watchdog();
    assert.equal(await watchdog.guard(Promise.resolve(7), alive), 7);
    await assert.rejects(watchdog.guard(Promise.reject(new Error("its own")), alive), /its own/);
  });

  it("gives up on work that stands still", async () => {
    await assert.rejects(new Watchdog().guard(never(), alive), { message: "nothing was answered for 0.02 s" });
  });

  it("has patience while there is progress, and no longer", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    let progress = 0;
    const guarded = new Watchdog().guard(never(), alive, () => progress);
    const outcome = assert.rejects(guarded, Lost);
    let settled = false;
    outcome.finally(() => {
      settled = true;
    });
    for (progress = 1; progress <= 8; progress += 1) {
      test.mock.timers.tick(alive.silenceMs);
      await Promise.resolve();
      assert.equal(settled, false);
    }
    test.mock.timers.tick(alive.silenceMs);
    test.mock.timers.tick(alive.silenceMs);
    await outcome;
  });

  it("takes the first error as final where errors are final", async () => {
    const watchdog = new Watchdog();
    const guarded = watchdog.guard(never(), { silenceMs: 60_000, afterErrorMs: 0 });
    watchdog.alarm(new Error("refused"));
    await assert.rejects(
      guarded,
      (error: Error) => error instanceof ConnectionFailed && /refused/.test(String(error.cause)),
    );
  });

  it("allows a library some time to reconnect", async () => {
    const watchdog = new Watchdog();
    const guarded = watchdog.guard(never(), { silenceMs: 60_000, afterErrorMs: 10 });
    watchdog.alarm(new Error("closed"));
    watchdog.alarm(new Error("refused"));
    await assert.rejects(guarded, (error: Error) => error instanceof Lost && /closed/.test(String(error.cause)));
  });
});
