import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { SliceEvent } from "#runner/contract/events.js";
import { readWorkload } from "#runner/workload/file.js";
import { goldenPath, schema } from "../helpers/contract.js";
import { failing, Runner, trial } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";
import { writeWorkload } from "../helpers/workload-file.js";

const GOLDEN = goldenPath("golden.workload");
const OFF = { "command-timeout": "off", protocol: 2 };
const BYTES = { decode: "bytes" };

const checks = { slice: schema("slice"), result: schema("result") };
let server: Server;

before(async () => {
  server = await Server.start();
  await server.preload(GOLDEN);
});
after(() => server.stop());

/** How often the server must have seen each command. */
function expectedCalls(path: string, { segments }: SliceEvent): Record<string, number> {
  const workload = readWorkload(path);
  const calls: Record<string, number> = {};
  for (const { first_command: first, operations } of segments) {
    for (let index = first; index < first + operations; index += 1) {
      const name = workload.command(index % workload.length).name.toLowerCase();
      calls[name] = (calls[name] ?? 0) + 1;
    }
  }
  return calls;
}

/** What the server counted since its counters were reset. */
async function counted() {
  return {
    calls: await server.calls(),
    connections: await server.figure("stats", "total_connections_received"),
    reads: await server.figure("stats", "total_reads_processed"),
    hits: await server.figure("stats", "keyspace_hits"),
  };
}

/** Performs one trial of these slices; returns what it and the server say of each. */
async function performed(changes: object, ...orders: readonly object[]) {
  const runner = Runner.with(trial(server.port, changes));
  const ready = await runner.ready();
  const slices: { readonly slice: SliceEvent; readonly seen: Awaited<ReturnType<typeof counted>> }[] = [];
  for (const [index, order] of orders.entries()) {
    await server.command("CONFIG", "RESETSTAT");
    slices.push({ slice: await runner.slice({ slice: index + 1, ...order }), seen: await counted() });
  }
  const result = await runner.finish();
  runner.closeInput();
  return { ready, slices, result, ending: await runner.ended() };
}

/** One slice of a trial. */
async function sliced(changes: object, order: object = {}) {
  const { ready, slices, result } = await performed(changes, order);
  const [first] = slices;
  assert.ok(first);
  return { ready, result, ...first };
}

const WARMING_UP = { first_command: 30, keep_samples: false };
const KEPT = { first_command: 70, keep_samples: true };
const WITHOUT_LEAD_IN = { first_command: 1007, keep_samples: true, lead_in_ns: 0 };

const SHAPES: readonly [string, object, string][] = [
  ["sync", {}, "command"],
  ["pipelining", { depth: 7, window: "burst" }, "burst"],
  ["pipelining", { depth: 7, window: "sliding" }, "command"],
  ["batching", { depth: 7 }, "batch"],
  ["batching", { depth: 1 }, "batch"],
  ["transaction", { depth: 7, form: "batched" }, "transaction"],
  ["pool", { threads: 6, max_total: 3 }, "command"],
  ["new-connection", {}, "connection"],
];

describe("slices", () => {
  for (const [scenario, shape, covers] of SHAPES) {
    for (const options of scenario === "transaction" ? [{}, OFF] : [{}, OFF, BYTES]) {
      it(`of ${scenario} ${JSON.stringify(shape)} ${JSON.stringify(options)}: the server counts the same`, async () => {
        const request = { scenario, shape, client: { options } };
        const { slices, result, ending } = await performed(request, WARMING_UP, KEPT, WITHOUT_LEAD_IN);
        for (const { slice, seen } of slices) {
          assert.ok(checks.slice(slice), JSON.stringify(checks.slice.errors));
          const { multi, exec, ...calls } = seen.calls;
          assert.deepEqual(calls, expectedCalls(GOLDEN, slice));
          const units = slice.lead_in.units + slice.measured.units;
          assert.equal(multi, scenario === "transaction" ? units : undefined);
          assert.equal(exec, multi);
          assert.equal(
            slice.segments.reduce((sum, { operations }) => sum + operations, 0),
            slice.lead_in.operations + slice.measured.operations,
          );
          assert.ok(slice.measured.operations > 0);
          assert.deepEqual([slice.errors, slice.first_error], [{}, null]);
        }
        assert.deepEqual(
          slices.map(({ slice }) => slice.segments[0]?.first_command),
          [30, 70, 1007 % 240],
        );
        assert.deepEqual(
          slices.map(({ slice }) => slice.lead_in.units > 0),
          [true, true, false],
        );
        const kept = slices.slice(1).reduce((sum, { slice }) => sum + slice.measured.units, 0);
        assert.ok(checks.result(result), JSON.stringify(checks.result.errors));
        assert.equal(result.decodes_to, options === BYTES ? "bytes" : "text");
        assert.equal(result.latency.sample_covers, covers);
        assert.equal(
          result.latency.histogram.reduce((sum, [, count]) => sum + count, 0),
          kept,
        );
        assert.deepEqual([ending.exitCode, ending.stderr], [0, ""]);
      });
    }
  }

  it("tell their moments in order, on the clock and the CPU of this machine", async () => {
    const before = process.hrtime.bigint();
    const { slice } = await sliced({}, { duration_ns: 40e6, lead_in_ns: 20e6 });
    const { started, measured_from: from, ended } = slice;
    // The events come through JSON.parse, which has numbers only: a machine's first 104 days are exact.
    const clock = [started, from, ended].map(({ at_ns }) => Number(at_ns));
    const [begin = 0, middle = 0, end = 0] = clock;
    assert.ok(Number(before) < begin && end < Number(process.hrtime.bigint()));
    assert.ok(middle - begin >= 20e6 && end - middle >= 40e6, `${clock}`);
    assert.ok(started.cpu_user_ns <= from.cpu_user_ns && from.cpu_user_ns <= ended.cpu_user_ns);
    assert.ok(started.cpu_system_ns <= from.cpu_system_ns && from.cpu_system_ns <= ended.cpu_system_ns);
  });

  it("share the connections of their scenario, which are opened before the first of them", async () => {
    for (const [scenario, shape] of [
      ["sync", {}],
      ["pool", { threads: 8, max_total: 3 }],
    ] as const) {
      const { slices } = await performed({ scenario, shape }, WARMING_UP, KEPT);
      assert.deepEqual(
        slices.map(({ seen }) => seen.connections),
        [0, 0],
      );
    }
    const { slice, seen } = await sliced({ scenario: "new-connection" });
    assert.equal(seen.connections, slice.lead_in.units + slice.measured.units);
  });

  it("send a batch in few writes, and one command at a time in sync", async () => {
    const batching = await sliced({ scenario: "batching", shape: { depth: 20 } });
    assert.ok(batching.seen.reads < (batching.slice.lead_in.units + batching.slice.measured.units) * 3);
    const sync = await sliced({ scenario: "sync" });
    assert.ok(sync.seen.reads >= sync.slice.lead_in.operations + sync.slice.measured.operations);
  });

  it("hit exactly the keys that exist", async () => {
    const { slice, seen } = await sliced({ scenario: "batching", shape: { depth: 5 } }, { first_command: 11 });
    const workload = readWorkload(GOLDEN);
    const [segment] = slice.segments;
    const walked = Array.from({ length: segment?.operations ?? 0 }, (_, index) => (11 + index) % workload.length);
    const isHit = (index: number) =>
      /GET/.test(workload.command(index).name) && workload.keyNumber(index) < workload.header.preloadKeys;
    assert.equal(seen.hits, walked.filter(isHit).length);
  });

  it("start each process and each task at its own command", async () => {
    const firsts = async (changes: object, first_command: number) => {
      const { slice } = await sliced({ workload: { part: 1, parts: 2 }, ...changes }, { first_command });
      return slice.segments.map(({ first_command: first }) => first);
    };
    assert.deepEqual(await firsts({}, 0), [120]);
    assert.deepEqual(
      await firsts({ scenario: "pool", shape: { threads: 3, max_total: 3, processes: 2 } }, 100),
      [220, 20, 60],
    );
  });
});

describe("connect", () => {
  it("needs no verification", async () => {
    const { ready, slice } = await sliced({ verify_commands: 0 });
    assert.equal(ready.verified_replies, 0);
    assert.ok(slice.measured.operations > 0);
  });

  it("verifies whole units", async () => {
    const { ready } = await sliced({ scenario: "batching", shape: { depth: 30 }, verify_commands: 31 });
    assert.equal(ready.verified_replies, 60);
  });

  it("selects the database, and logs in as the user", async () => {
    await server.command("ACL", "SETUSER", "bench", "on", ">hidden", "~*", "+@all");
    const target = { host: "127.0.0.1", port: server.port, database: 3, username: "bench", password: "hidden" };
    const runner = Runner.with(trial(0, { target, verify_commands: 0 }));
    await runner.ready();
    const clients = String(await server.command("CLIENT", "LIST"));
    assert.match(clients, /db=3 .*user=bench/);
    runner.closeInput();
    assert.equal((await runner.ended()).exitCode, 1);
  });

  it("speaks the protocol that the options name", async () => {
    for (const [options, resp] of [
      [{}, 3],
      [{ protocol: 3 }, 3],
      [{ protocol: 2 }, 2],
    ] as const) {
      const runner = Runner.with(trial(server.port, { client: { options } }));
      await runner.ready();
      const clients = String(await server.command("CLIENT", "LIST", "ID", await newestClient()));
      assert.match(clients, new RegExp(`resp=${resp}`));
      runner.closeInput();
      await runner.ended();
    }
  });

  it("speaks over a unix socket", async () => {
    const other = await Server.start("--unixsocket", "server.sock");
    try {
      await other.preload(GOLDEN);
      const runner = Runner.with(trial(0, { target: { unix_socket: join(other.folder, "server.sock") } }));
      await runner.ready();
      assert.ok((await runner.slice()).measured.operations > 0);
      runner.closeInput();
    } finally {
      await other.stop();
    }
  });
});

describe("every command", () => {
  const path = goldenPath("commands.workload");

  for (const [scenario, shape] of [
    ["sync", {}],
    ["batching", { depth: 5 }],
    ["transaction", { depth: 5, form: "batched" }],
    ["pool", { threads: 1, max_total: 1 }],
  ] as const) {
    it(`reaches the server as the workload has it, and is verified, in ${scenario}`, async () => {
      await server.preloadStructures(path);
      const { slice, seen } = await sliced({ scenario, shape, workload: { path }, verify_commands: 200 });
      const { multi: _, exec: __, ...calls } = seen.calls;
      assert.deepEqual(calls, expectedCalls(path, slice));
      assert.deepEqual(slice.errors, {});
    });
  }

  it("is refused where the library has no method for it", async () => {
    const mixed = join(server.folder, "mixed.workload");
    writeWorkload(mixed, [{ name: "NOSUCH", arguments: [{ kind: "key" }] }], 8);
    const { exitCode, lastLine } = await failing(trial(server.port, { workload: { path: mixed } }));
    assert.equal(exitCode, 3);
    assert.match(lastLine, /no method that sends NOSUCH/);
  });
});

async function newestClient(): Promise<string> {
  const ids = [...String(await server.command("CLIENT", "LIST")).matchAll(/(?:^|\n)id=(\d+)/g)].map(([, id]) =>
    Number(id),
  );
  return `${Math.max(...ids)}`;
}

describe("a cache of the client's own", () => {
  it("tells hits and misses that the server bears out", async () => {
    const { slices } = await performed({ scenario: "caching", shape: { cache_entries: 20 } }, WARMING_UP, KEPT);
    for (const { slice, seen } of slices) {
      const expected = expectedCalls(GOLDEN, slice);
      const told = slice.local_cache;
      assert.ok(told !== null && checks.slice(slice), JSON.stringify(checks.slice.errors));
      assert.equal(told.misses, (seen.calls["get"] ?? 0) + (seen.calls["getrange"] ?? 0));
      assert.equal(told.hits + told.misses, (expected["get"] ?? 0) + (expected["getrange"] ?? 0));
      assert.equal(seen.calls["set"], expected["set"]);
    }
  });

  it("drops what another connection changes, while it waits as well, and reads it again", async () => {
    const path = join(server.folder, "gets.workload");
    writeWorkload(path, [{ name: "GET", arguments: [{ kind: "key" }] }], 24);
    await server.preload(path);
    const shape = { cache_entries: 20 };
    const runner = Runner.with(
      trial(server.port, { scenario: "caching", shape, workload: { path }, verify_commands: 24 }),
    );
    await runner.ready();
    const { local_cache: unchanged, segments } = await runner.slice();
    assert.deepEqual(unchanged, { hits: segments[0]?.operations, misses: 0, invalidations: 0 });
    await server.preload(path);
    await server.command("CONFIG", "RESETSTAT"); // answered after the server has told those who read the keys
    const changed = [await runner.slice({ slice: 2 }), await runner.slice({ slice: 3 })].map((one) => one.local_cache);
    const sum = (name: "misses" | "invalidations") => changed.reduce((all, told) => all + (told?.[name] ?? 0), 0);
    assert.equal(sum("invalidations"), 8);
    assert.ok(sum("misses") > 0);
    assert.equal(sum("misses"), (await server.calls())["get"]);
    runner.closeInput();
    await runner.ended();
  });
});
