import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, createServer, type Server as Listener } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { goldenLines, goldenPath } from "../helpers/contract.js";
import { failing, Runner, trial } from "../helpers/runner.js";
import { freePort, Server } from "../helpers/server.js";
import { writeWorkload } from "../helpers/workload-file.js";

const GOLDEN = goldenPath("golden.workload");
const PASSWORD = "a-hidden-word";

let server: Server;

before(async () => {
  server = await Server.start("--maxclients", "40");
  await server.preload(GOLDEN);
  await server.command("ACL", "SETUSER", "reader", "on", `>${PASSWORD}`, "~*", "+@all", "-set");
});
after(() => server.stop());

/** The runner ends so, with one line that says this, and without a stack trace or the password. */
async function refused(request: object | string, exitCode: number, sentence: RegExp): Promise<void> {
  const ending = await failing(request);
  assert.match(ending.stderr, sentence);
  assert.equal(ending.exitCode, exitCode, ending.stderr);
  assert.equal(ending.stderr.trimEnd().split("\n").length, 1, ending.stderr);
  assert.ok(!ending.stderr.includes(PASSWORD));
}

describe("a trial that is not valid exits with 2", { concurrency: 2 }, () => {
  for (const { name, line } of goldenLines("trials", "invalid")) {
    it(`golden ${name}`, () => refused(line, 2, /^trial[. ]/));
  }
  it("no JSON", () => refused("sync, please", 2, /not JSON/));
  it("a golden trial of another library", async () => {
    const sync = goldenLines("trials", "valid").find(({ name }) => name === "sync.json");
    await refused(sync?.line ?? "", 2, /trial\.client\.library must be one of node-redis/);
  });
  it("an unknown option", () =>
    refused(trial(server.port, { client: { options: { fast: true } } }), 2, /options\.fast is unknown; known are/));
  it("an option's unknown value", () =>
    refused(
      trial(server.port, { client: { options: { "command-timeout": 7 } } }),
      2,
      /one of "default", "off", not 7/,
    ));
  it("no workload", () => refused(trial(server.port, { workload: { path: "/none" } }), 2, /\/none: .*ENOENT/));
  it("no workload file", async () => {
    const path = join(server.folder, "text.workload");
    writeFileSync(path, "something else altogether");
    await refused(trial(server.port, { workload: { path } }), 2, /does not start with RESPMARK/);
  });
  it("no authority's file", async () => {
    const target = { host: "127.0.0.1", port: server.port, tls: { ca_file: "/none.pem" } };
    await refused(trial(0, { target }), 2, /trial\.target\.tls\.ca_file: \/none\.pem cannot be read/);
  });
  it("nothing at all", async () => {
    const runner = new Runner("dist/main.js", "run");
    runner.closeInput();
    const { exitCode, lastLine } = await runner.ended();
    assert.equal(exitCode, 2);
    assert.match(lastLine, /standard input is empty/);
  });
});

describe("what the client cannot express exits with 3", { concurrency: 2 }, () => {
  const cases: readonly [string, object, RegExp][] = [
    ["threads", { scenario: "threads", shape: { threads: 2, connections: 1 } }, /threads: .*event loop.*use processes/],
    [
      "threads that pipeline",
      { scenario: "pipelining", shape: { depth: 2, window: "burst", threads: 2 } },
      /use processes/,
    ],
    [
      "a transaction of bytes",
      { scenario: "transaction", shape: { depth: 2, form: "batched" }, client: { options: { decode: "bytes" } } },
      /without the type mapping/,
    ],
    ["a queued transaction", { scenario: "transaction", shape: { depth: 2, form: "queued" } }, /use the form batched/],
    [
      "a limit of idle connections",
      { scenario: "pool", shape: { threads: 2, max_total: 2, max_idle: 1 } },
      /leave max_idle out/,
    ],
    ["another version", { client: { version: "5.0.0" } }, /this environment has node-redis .*, not 5\.0\.0/],
  ];
  for (const [name, changes, sentence] of cases) {
    it(name, () => refused(trial(server.port, changes), 3, sentence));
  }
});

describe("a target that cannot be reached or refuses us exits with 4", { concurrency: 2 }, () => {
  const login = (changes: object) => ({ target: { host: "127.0.0.1", port: server.port, ...changes } });

  for (const [scenario, shape] of [
    ["sync", {}],
    ["pool", { threads: 2, max_total: 2 }],
    ["new-connection", {}],
  ] as const) {
    it(`nothing listens, ${scenario}`, async () => {
      const port = await freePort();
      await refused(
        trial(port, { scenario, shape }),
        4,
        new RegExp(`^127\\.0\\.0\\.1:${port} refuses connections .*ECONNREFUSED`),
      );
    });
  }
  it("no socket", () => refused(trial(0, { target: { unix_socket: "/no.sock" } }), 4, /^\/no\.sock does not exist/));
  it("an unknown host", () =>
    refused(trial(0, { target: { host: "no.such.host.invalid", port: 1 } }), 4, /is not a known host/));
  for (const protocol of [3, 2]) {
    it(`a wrong password, protocol ${protocol}`, () =>
      refused(
        trial(0, { ...login({ username: "reader", password: `${PASSWORD}!` }), client: { options: { protocol } } }),
        4,
        /refused the user or the password \(WRONGPASS/,
      ));
  }
  it("no permission, at verification", () =>
    refused(
      trial(0, login({ username: "reader", password: PASSWORD })),
      4,
      /refused a command of the workload .*NOPERM/,
    ));
  it("no permission, in a slice", () =>
    refused(
      trial(0, {
        ...login({ username: "reader", password: PASSWORD }),
        scenario: "batching",
        shape: { depth: 100 },
        verify_commands: 0,
      }),
      4,
      /was lost: 25 units in a row failed \(NOPERM/,
    ));
  it("no such database", () =>
    refused(trial(0, login({ database: 999 })), 4, /refused the database .*check the target's database/));
  it("TLS to a server without it", () =>
    refused(
      trial(0, login({ tls: {} })),
      4,
      /did not complete the TLS handshake|does not answer in time|closed the connection/,
    ));
  it("a server that speaks something else", async () => {
    const listener = await listen((line) => `HTTP/1.1 400 ${line.length}\r\n\r\n`);
    await refused(trial(portOf(listener)), 4, /^127\.0\.0\.1:\d+ does not speak the protocol of Redis/);
    listener.close();
  });

  const answers: readonly [string, string, RegExp][] = [
    ["LOADING", "LOADING Redis is loading the dataset in memory", /is still loading/],
    ["too many clients", "ERR max number of clients reached", /accepts no more clients/],
  ];
  for (const [name, answer, sentence] of answers) {
    it(name, async () => {
      const listener = await listen(() => `-${answer}\r\n`);
      await refused(trial(portOf(listener)), 4, sentence);
      listener.close();
    });
  }
  it("does not print a password that the server repeats", async () => {
    const listener = await listen((line) => `-ERR unknown command, with args: ${line.replaceAll(/\r\n/g, " ")}\r\n`);
    const target = { host: "127.0.0.1", port: portOf(listener), password: PASSWORD };
    await refused(trial(0, { target }), 4, /unknown command, with args: .*…/);
    listener.close();
  });
});

describe("a server that takes no writes exits with 4", () => {
  it("a replica", async () => {
    const replica = await Server.start();
    try {
      await replica.preload(GOLDEN);
      await replica.command("REPLICAOF", "127.0.0.1", "1");
      await refused(trial(replica.port), 4, /is a read-only replica \(READONLY/);
    } finally {
      await replica.stop();
    }
  });

  it("one that really accepts no more clients", async () => {
    const sockets = await Promise.all(Array.from({ length: 45 }, () => idle(server.port)));
    await refused(trial(server.port), 4, /accepts no more clients|closed the connection/);
    for (const socket of sockets) {
      socket.destroy();
    }
  });
});

describe("verification", () => {
  it("finds a value that was corrupted, in every scenario", async () => {
    const other = await Server.start();
    try {
      await other.preload(GOLDEN);
      await other.command("SET", "key:0000018", "x".repeat(64));
      for (const [scenario, shape] of [
        ["sync", {}],
        ["pipelining", { depth: 10, window: "burst" }],
        ["batching", { depth: 10 }],
        ["transaction", { depth: 10, form: "batched" }],
        ["pool", { threads: 1, max_total: 1 }],
      ] as const) {
        const sentence = /^the reply to command 4 of the workload, GET key:0000018 is not the value of its key/;
        await refused(trial(other.port, { scenario, shape }), 1, sentence);
      }
      await other.command("DEL", "key:0000018");
      await refused(
        trial(other.port),
        1,
        /command 4 of the workload, GET key:0000018 must be a value, but the key does not exist: preload/,
      );
    } finally {
      await other.stop();
    }
  });

  it("finds a command that the server rejects", async () => {
    const path = join(server.folder, "wrong.workload");
    writeWorkload(
      path,
      [
        { name: "PING", arguments: [] },
        { name: "INCR", arguments: [{ kind: "literal", text: "key:0000001" }] },
      ],
      8,
    );
    const wrong = (changes: object) => trial(server.port, { ...changes, workload: { path } });
    await refused(
      wrong({}),
      1,
      /^command 1 of the workload, INCR key:0000001 failed in verification \(ERR value is not/,
    );
    await refused(
      wrong({ scenario: "transaction", shape: { depth: 4, form: "batched" } }),
      1,
      /^command 1 of the workload, INCR/,
    );
    await refused(
      wrong({ scenario: "batching", shape: { depth: 4 } }),
      1,
      /^command 0 of the workload, PING, or one in its unit, failed in verification/,
    );
  });
});

/** A server that gives one answer to everything. */
async function listen(answer: (line: string) => string): Promise<Listener> {
  const listener = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => socket.end(answer(data.toString())));
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  return listener.unref();
}

function portOf(listener: Listener): number {
  const address = listener.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function idle(port: number) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}
