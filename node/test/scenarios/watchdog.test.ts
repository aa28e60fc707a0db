import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LIMITS } from "#runner/contract/limits.js";
import { ConnectionFailed, IN_SLICE, Lost, Watchdog } from "#runner/scenarios/watchdog.js";
import { golden } from "../helpers/contract.js";

const never = () => new Promise<never>(() => undefined);
const patience = { silenceMs: 20, isErrorFinal: false };

describe("limits", () => {
  it("are the contract's", () => {
    const { failuresInARow, silenceMs, poolWaitMs } = LIMITS;
    const ours = { failures_in_a_row: failuresInARow, silence_ms: silenceMs, pool_wait_ms: poolWaitMs };
    assert.deepEqual(ours, golden("limits.json"));
  });
});

describe("Watchdog", () => {
  it("settles as the work does", async () => {
    const watchdog = new Watchdog();
    assert.equal(await watchdog.guard(() => Promise.resolve(7), patience), 7);
    await assert.rejects(
      watchdog.guard(() => Promise.reject(new Error("its own")), patience),
      /its own/,
    );
  });

  it("gives up on work that stands still", async () => {
    await assert.rejects(new Watchdog().guard(never, patience), { message: "no unit succeeded for 0.02 s" });
  });

  it("gives up on a slice after 10 s without progress, whatever came before, and no sooner", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    let progress = 0;
    const outcome = assert.rejects(
      new Watchdog().guard(never, IN_SLICE, () => progress),
      Lost,
    );
    let isSettled = false;
    outcome.finally(() => {
      isSettled = true;
    });
    const wait = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 500) {
        test.mock.timers.tick(500);
        await new Promise(setImmediate);
      }
    };
    for (progress = 1; progress <= 8; progress += 1) {
      await wait(8000);
      assert.equal(isSettled, false);
    }
    await wait(12_000);
    assert.equal(isSettled, true);
    await outcome;
  });

  it("takes the first error as final where errors are final", async () => {
    const watchdog = new Watchdog();
    const guarded = watchdog.guard(never, { silenceMs: 60_000, isErrorFinal: true });
    watchdog.alarm(new Error("refused"));
    await assert.rejects(
      guarded,
      (error: Error) => error instanceof ConnectionFailed && /refused/.test(String(error.cause)),
    );
  });

  it("allows a library some time to reconnect, and names the first error when it does not", async () => {
    const watchdog = new Watchdog();
    const guarded = watchdog.guard(never, patience);
    watchdog.alarm(new Error("closed"));
    watchdog.alarm(new Error("refused"));
    await assert.rejects(guarded, (error: Error) => error instanceof Lost && /closed/.test(String(error.cause)));
  });

  it("has no timer and gives nothing up while it guards nothing", async (test) => {
    const started = test.mock.method(globalThis, "setTimeout");
    const stopped = test.mock.method(globalThis, "clearTimeout");
    const watchdog = new Watchdog();
    await watchdog.guard(() => Promise.resolve(), IN_SLICE);
    watchdog.alarm(new Error("closed while it waited"));
    assert.equal(started.mock.callCount(), 1);
    assert.equal(stopped.mock.calls[0]?.arguments[0], started.mock.calls[0]?.result);
    const guarded = watchdog.guard(never, patience);
    await assert.rejects(guarded, (error: Error) => error.cause === undefined);
  });
});
