import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import type { Adapter, Send, Value } from "../runner/adapter.js";
import { readCommands } from "../runner/workload.js";
import { GETS_AND_SETS, writeWorkload } from "./files.js";

interface Noting {
  note(...call: unknown[]): void;
}

function noting(): { readonly sender: Noting; readonly calls: unknown[][] } {
  const calls: unknown[][] = [];
  const note = (...call: unknown[]) => {
    calls.push(call);
  };
  return { sender: { note }, calls };
}

function adapterWith(
  commands: Record<string, (...words: never[]) => Send>,
  values: Adapter["values"] = "text",
): Adapter {
  return { values, commands } as unknown as Adapter;
}

function commandsOf(header: object, rows: readonly number[], keys: string, adapter: Adapter) {
  const path = writeWorkload({ ...header, commands: rows.length }, rows, keys);
  try {
    return readCommands(path, adapter);
  } finally {
    rmSync(path);
  }
}

const BOTH = {
  GET: () => (to: Noting, key: string) => to.note("get", key),
  SET: (value: Value) => (to: Noting, key: string) => to.note("set", key, value),
};

test("each command is sent with its key and its value", () => {
  const { sender, calls } = noting();
  const adapter = adapterWith(BOTH);
  const { send } = commandsOf(GETS_AND_SETS, [0, 1, 2], "key:1key:2key:3", adapter);
  for (const index of [2, 0, 1]) {
    send(sender, index);
  }
  assert.deepEqual(calls, [
    ["set", "key:3", "longer"],
    ["get", "key:1"],
    ["set", "key:2", "short"],
  ]);
});

test("values of a client that takes bytes are buffers", () => {
  const { sender, calls } = noting();
  commandsOf(GETS_AND_SETS, [1], "key:1", adapterWith(BOTH, "bytes")).send(sender, 0);
  assert.deepEqual(calls, [["set", "key:1", Buffer.from("short")]]);
});

test("a command has one function for each kind and value", () => {
  const { sender, calls } = noting();
  let made = 0;
  const header = {
    kinds: [
      { name: "PING", arguments: [] },
      { name: "MGET", arguments: ["key", "key"] },
      { name: "MSET", arguments: ["key", "value", "key", "value"] },
      { name: "ZADD", arguments: ["key", { literal: 1.5 }, "value"] },
    ],
    steps: [[0], [1], [2, 0, 1], [3, 0]],
  };
  const { send } = commandsOf(
    header,
    [3, 1, 0, 2, 3],
    "key:1key:2key:3key:4key:5key:6",
    adapterWith({
      PING: () => (to: Noting) => to.note("ping"),
      MGET: () => (to: Noting, keys) => to.note("mget", keys),
      MSET: () => (to: Noting, pairs) => to.note("mset", pairs),
      ZADD: (score: number, member: string) => {
        made += 1;
        return (to: Noting, key) => to.note("zadd", key, score, member);
      },
    }),
  );
  for (const index of [0, 1, 2, 3, 4]) {
    send(sender, index);
  }
  assert.deepEqual(calls, [
    ["zadd", "key:1", 1.5, "short"],
    ["mget", ["key:2", "key:3"]],
    ["ping"],
    ["mset", ["key:4", "short", "key:5", "longer"]],
    ["zadd", "key:6", 1.5, "short"],
  ]);
  assert.equal(made, 1);
});

test("a command that the adapter lacks is named", () => {
  const header = { kinds: [{ name: "STRLEN", arguments: ["key"] }], steps: [[0]] };
  assert.throws(() => commandsOf(header, [0], "key:1", adapterWith(BOTH)), {
    message: "the adapter does not send STRLEN",
  });
});

test("a command without a method is spelled before it is sent", () => {
  const { sender, calls } = noting();
  const header = {
    kinds: [
      { name: "EVAL", arguments: [{ literal: "return 1" }, { literal: 2 }, "key", "key", "value"] },
      { name: "SELECT", arguments: [{ literal: "0" }] },
    ],
    steps: [[0, 1], [1]],
  };
  const adapter = { ...adapterWith(BOTH), any: (to: Noting, words: readonly Value[]) => to.note(words) };
  const given = { ...adapter, words: ([, ...words]: readonly Value[], keys: readonly string[]) => ({ keys, words }) };
  for (const { send } of [adapter, given].map((one) => commandsOf(header, [1, 0], "key:1key:2", one))) {
    send(sender, 0);
    send(sender, 1);
  }
  assert.deepEqual(calls, [
    [["SELECT", "0"]],
    [["EVAL", "return 1", "2", "key:1", "key:2", "longer"]],
    [{ keys: [], words: ["0"] }],
    [{ keys: ["key:1", "key:2"], words: ["return 1", "2", "key:1", "key:2", "longer"] }],
  ]);
});

test("keys with values are what the library's method takes", () => {
  const { sender, calls } = noting();
  const kind = { name: "MSET", arguments: ["key", "value", "key", "value"] };
  const adapter = {
    ...adapterWith({ MSET: () => (to: Noting, pairs) => to.note(pairs) }),
    pairs: ([first, one, second, other]: readonly unknown[]) => ({ [`${first}`]: one, [`${second}`]: other }),
  };
  commandsOf({ kinds: [kind], steps: [[0, 0, 1]] }, [0], "key:1key:2", adapter).send(sender, 0);
  assert.deepEqual(calls, [[{ "key:1": "short", "key:2": "longer" }]]);
});
