import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClientError } from "#runner/clients/library.js";
import { isRefusal, lostTarget, targetFailure } from "#runner/clients/refusal.js";
import { parseTarget } from "#runner/contract/parse-target.js";

const TARGET = parseTarget({ host: "cache.example", port: 6380, password: "hidden" });
const reply = (message: string): ClientError => ({ kind: "SimpleError", message, code: undefined, isReply: true });
const socket = (code: string): ClientError => ({ kind: code, message: `connect ${code}`, code, isReply: false });

const SENTENCES: readonly [ClientError, RegExp][] = [
  [reply("WRONGPASS invalid username-password pair"), /refused the user or the password .*: correct target\.username/],
  [reply("NOPERM this user has no permissions"), /does not permit .*: grant it with ACL SETUSER/],
  [reply("LOADING Redis is loading the dataset in memory"), /is still loading its data .*: wait/],
  [reply("READONLY You can't write against a read only replica."), /replica that takes no writes .*: name its primary/],
  [
    reply("MISCONF Redis is configured to save RDB snapshots"),
    /cannot save its data .*: repair or turn off its persistence/,
  ],
  [reply("ERR max number of clients reached"), /as many clients as it allows .*: raise maxclients/],
  [reply("ERR DB index is out of range"), /refused the database .*: correct target\.database/],
  [socket("ECONNREFUSED"), /has no server \(connect ECONNREFUSED\): start it/],
  [socket("ENOTFOUND"), /unknown host name/],
  [socket("ERR_SSL_WRONG_VERSION_NUMBER"), /do not agree on TLS .*: correct target\.tls/],
  [socket("DEPTH_ZERO_SELF_SIGNED_CERT"), /do not agree on TLS .*ca_file/],
  [socket("ECONNRESET"), /closed the connection .*TLS/],
  [socket("EWHATEVER"), /failed \(connect EWHATEVER\): see its log/],
];

describe("targetFailure", () => {
  for (const [error, sentence] of SENTENCES) {
    it(`says what, where and what to do for ${error.message.split(" ")[0]} ${error.code ?? ""}`, () => {
      const { message, exitCode } = targetFailure(error, TARGET);
      assert.match(message, sentence);
      assert.match(message, /^cache\.example:6380 /);
      assert.equal(exitCode, 4);
    });
  }
});

describe("lostTarget", () => {
  it("names the last error that was heard", () => {
    const { message } = lostTarget("nothing succeeded for 5 s", socket("ECONNRESET"), TARGET);
    assert.match(message, /^cache\.example:6380 was lost: nothing succeeded for 5 s after connect ECONNRESET: /);
  });
});

describe("isRefusal", () => {
  it("tells a refusing server from a command that is wrong", () => {
    assert.ok(isRefusal(reply("LOADING")));
    assert.ok(!isRefusal(reply("WRONGTYPE Operation against a key holding the wrong kind of value")));
  });
});
