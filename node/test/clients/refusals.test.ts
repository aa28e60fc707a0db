import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClientError } from "#runner/clients/library.js";
import {
  CONNECTIONS,
  isRefusal,
  lostTarget,
  NO_RESP,
  OTHER,
  REPLIES,
  targetFailure,
} from "#runner/clients/refusals.js";
import { parseTarget } from "#runner/contract/parse-target.js";
import { golden } from "../helpers/contract.js";

const TARGET = parseTarget({ host: "cache.example", port: 6380, password: "hidden" });
const reply = (message: string): ClientError => ({ kind: "SimpleError", message, code: undefined, isReply: true });
const socket = (code: string): ClientError => ({ kind: code, message: `connect ${code}`, code, isReply: false });

interface Refused {
  readonly meaning: string;
  readonly advice: string;
  readonly replies: readonly string[];
}

const CONTRACT = golden<{ sentences: { lost: string }; refusals: readonly Refused[] }>("refusals.json");

const CONNECTION_ERRORS: readonly [ClientError, RegExp][] = [
  [socket("ECONNREFUSED"), /refuses connections \(connect ECONNREFUSED\): start the server/],
  [socket("ENOTFOUND"), /is not a known host/],
  [socket("ERR_SSL_WRONG_VERSION_NUMBER"), /TLS handshake .*: check that it speaks TLS/],
  [socket("DEPTH_ZERO_SELF_SIGNED_CERT"), /not trusted .*ca_file/],
  [socket("ECONNRESET"), /closed the connection .*TLS/],
  [socket("EWHATEVER"), /failed \(connect EWHATEVER\): see its log/],
];

describe("targetFailure", () => {
  for (const { meaning, advice, replies } of CONTRACT.refusals) {
    for (const answer of replies) {
      it(`has the contract's sentence for ${answer}`, () => {
        const { message, exitCode } = targetFailure(reply(answer), TARGET);
        assert.ok(message.startsWith(`cache.example:6380 ${meaning} (`), message);
        assert.ok(message.endsWith(`): ${advice}`), message);
        assert.equal(exitCode, 4);
      });
    }
  }

  for (const [error, sentence] of CONNECTION_ERRORS) {
    it(`says what, where and what to do for ${error.code}`, () => {
      const { message } = targetFailure(error, TARGET);
      assert.match(message, sentence);
      assert.match(message, /^cache\.example:6380 /);
    });
  }

  it("has no sentences but the contract's", () => {
    const known = CONTRACT.refusals.map(({ meaning, advice }) => `${meaning}: ${advice}`);
    for (const { meaning, advice } of [...REPLIES, ...CONNECTIONS, NO_RESP, OTHER]) {
      assert.ok(known.includes(`${meaning}: ${advice}`), meaning);
    }
  });
});

describe("lostTarget", () => {
  it("has the contract's sentence, with the last error that was heard", () => {
    const { message } = lostTarget("silence", socket("ECONNRESET"), TARGET);
    const words = { address: "cache.example:6380", complaint: "silence", heard: "connect ECONNRESET" };
    const expected = Object.entries(words).reduce(
      (text, [name, word]) => text.replace(`{${name}}`, word),
      CONTRACT.sentences.lost,
    );
    assert.equal(message, expected);
  });
});

describe("isRefusal", () => {
  it("tells a refusing server from a command that is wrong", () => {
    assert.ok(isRefusal(reply("LOADING")));
    assert.ok(!isRefusal(reply("WRONGTYPE Operation against a key holding the wrong kind of value")));
  });
});
