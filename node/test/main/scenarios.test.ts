import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ResultEvent } from "#runner/contract/events.js";
import { readWorkload } from "#runner/workload/file.js";
import { goldenPath, schema } from "../helpers/contract.js";
import { Runner, trial } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";
import { writeWorkload } from "../helpers/workload-file.js";

const GOLDEN = goldenPath("golden.workload");
const OFF = { "command-timeout": "off", protocol: 2 };

const checks = { ready: schema("ready"), progress: schema("progress"), result: schema("result") };
let server: Server;

before(async () => {
  server = await Server.start();
  await server.preload(GOLDEN);
});
after(() => server.stop());

/** How often the server must have seen each command. */
function expectedCalls(path: string, { segments }: ResultEvent): Record<string, number> {
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

/** Measures one trial and returns what it and the server say, before any connection closes. */
async function measured(changes: object) {
  const runner = Runner.with(trial(server.port, changes));
  const ready = await runner.ready();
  await server.command("CONFIG", "RESETSTAT");
  const { result, progress } = await runner.measured();
  const seen = {
    calls: await server.calls(),
    clients: (await server.figure("clients", "connected_clients")) - 1,
    connections: await server.figure("stats", "total_connections_received"),
    reads: await server.figure("stats", "total_reads_processed"),
    hits: await server.figure("stats", "keyspace_hits"),
  };
  runner.closeInput();
  const ending = await runner.ended();
  return { ready, result, progress, seen, ending };
}

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

describe("run", () => {
  for (const [scenario, shape, covers] of SHAPES) {
    for (const options of [{}, OFF]) {
      it(`measures ${scenario} ${JSON.stringify(shape)} ${JSON.stringify(options)}; the server counts the same`, async () => {
        const { ready, result, seen, ending } = await measured({ scenario, shape, client: { options } });
        assert.ok(checks.ready(ready), JSON.stringify(checks.ready.errors));
        assert.ok(checks.result(result), JSON.stringify(checks.result.errors));
        const { multi, exec, ...calls } = seen.calls;
        assert.deepEqual(calls, expectedCalls(GOLDEN, result));
        assert.equal(multi, scenario === "transaction" ? result.units : undefined);
        assert.equal(exec, multi);
        assert.equal(result.latency.sample_covers, covers);
        assert.equal(
          result.latency.histogram.reduce((sum, [, count]) => sum + count, 0),
          result.units,
        );
        assert.equal(
          result.segments.reduce((sum, { operations }) => sum + operations, 0),
          result.operations,
        );
        assert.ok(result.operations > 0 && ready.warmup_operations > 0 && ready.verified_replies >= 20);
        assert.deepEqual(result.errors, {});
        assert.equal(ending.exitCode, 0, ending.stderr);
        assert.equal(ending.stderr, "");
      });
    }
  }

  it("opens the connections of its scenario before the window, and keeps them open until standard input ends", async () => {
    const sync = await measured({ scenario: "sync" });
    assert.deepEqual([sync.seen.clients, sync.seen.connections], [1, 0]);
    const pool = await measured({ scenario: "pool", shape: { threads: 8, max_total: 3 } });
    assert.deepEqual([pool.seen.clients, pool.seen.connections], [3, 0]);
    const connecting = await measured({ scenario: "new-connection" });
    assert.equal(connecting.seen.connections, connecting.result.units);
  });

  it("sends a batch in few writes, and one command at a time in sync", async () => {
    const batching = await measured({ scenario: "batching", shape: { depth: 20 } });
    assert.ok(batching.seen.reads < batching.result.units * 3);
    const sync = await measured({ scenario: "sync" });
    assert.ok(sync.seen.reads >= sync.result.operations);
  });

  it("hits exactly the keys that exist", async () => {
    const { result, seen } = await measured({ scenario: "batching", shape: { depth: 5 } });
    const workload = readWorkload(GOLDEN);
    const reads = (index: number) => /GET/.test(workload.command(index).name);
    const [segment] = result.segments;
    const walked = Array.from({ length: segment?.operations ?? 0 }, (_, index) => index % workload.length);
    const isHit = (index: number) => reads(index) && workload.keyNumber(index) < workload.header.preloadKeys;
    assert.equal(seen.hits, walked.filter(isHit).length);
  });

  it("starts each process and each task at its own command", async () => {
    const workload = { part: 1, parts: 2 };
    const sync = await measured({ workload });
    assert.deepEqual(
      sync.result.segments.map(({ first_command }) => first_command),
      [120],
    );
    const pool = await measured({ workload, scenario: "pool", shape: { threads: 3, max_total: 3, processes: 2 } });
    assert.deepEqual(
      pool.result.segments.map(({ first_command }) => first_command),
      [120, 160, 200],
    );
  });

  it("reports progress once a second, and the first half", async () => {
    const { result, progress } = await measured({ measure_s: 1.6, scenario: "batching", shape: { depth: 10 } });
    assert.equal(progress.length, 1);
    assert.ok(checks.progress(progress[0]), JSON.stringify(checks.progress.errors));
    assert.ok((progress[0]?.operations ?? 0) <= result.operations);
    assert.ok(result.first_half !== null && result.first_half.elapsed_ns >= 0.8e9);
    assert.ok(result.first_half.operations <= result.operations && result.elapsed_ns >= 1.6e9);
  });

  it("needs neither warm-up nor verification", async () => {
    const { ready, result } = await measured({ warmup_s: 0, verify_commands: 0 });
    assert.deepEqual([ready.warmup_operations, ready.verified_replies], [0, 0]);
    assert.ok(result.operations > 0);
  });

  it("verifies whole units", async () => {
    const { ready } = await measured({ scenario: "batching", shape: { depth: 30 }, verify_commands: 31 });
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
      const { result } = await runner.measured();
      assert.ok(result.operations > 0);
      runner.closeInput();
    } finally {
      await other.stop();
    }
  });
});

describe("any command", () => {
  const literal = (text: string) => ({ kind: "literal", text }) as const;
  const key = { kind: "key" } as const;
  const value = { kind: "value" } as const;
  const mix = [
    { name: "DEL", arguments: [literal("list"), literal("set")] },
    { name: "MSET", arguments: [literal("a"), value, literal("b"), value] },
    { name: "MGET", arguments: [literal("a"), literal("b"), literal("none")] },
    { name: "INCR", arguments: [literal("counter")] },
    { name: "LPUSH", arguments: [literal("list"), literal("x"), literal("y")] },
    { name: "LRANGE", arguments: [literal("list"), literal("0"), literal("9")] },
    { name: "RPOP", arguments: [literal("list")] },
    { name: "SADD", arguments: [literal("set"), literal("m"), literal("n")] },
    { name: "SPOP", arguments: [literal("set"), literal("1")] },
    { name: "SET", arguments: [key, value, literal("EX"), literal("100")] },
    { name: "SETRANGE", arguments: [literal("a"), literal("1"), value] },
    { name: "ECHO", arguments: [literal("é")] },
    { name: "PING", arguments: [] },
  ];

  for (const [scenario, shape] of [
    ["sync", {}],
    ["batching", { depth: 5 }],
    ["pool", { threads: 1, max_total: 1 }],
  ] as const) {
    it(`reaches the server as the workload has it, in ${scenario}`, async () => {
      const path = join(server.folder, "mixed.workload");
      writeWorkload(path, mix, mix.length * 4);
      const { result, seen } = await measured({ scenario, shape, workload: { path } });
      assert.deepEqual(seen.calls, expectedCalls(path, result));
      assert.deepEqual(result.errors, {});
    });
  }
});

async function newestClient(): Promise<string> {
  const ids = [...String(await server.command("CLIENT", "LIST")).matchAll(/(?:^|\n)id=(\d+)/g)].map(([, id]) =>
    Number(id),
  );
  return `${Math.max(...ids)}`;
}
