import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createServer, type Server as TlsServer } from "node:tls";
import { selfSigned } from "../helpers/certificate.js";
import { goldenPath } from "../helpers/contract.js";
import { failing, Runner, trial } from "../helpers/runner.js";
import { Server } from "../helpers/server.js";

let server: Server;
let gate: TlsServer;
let authority: string;

/** A gate that speaks TLS outwards and hands on to the server, which need not be built with TLS. */
before(async () => {
  server = await Server.start();
  await server.preload(goldenPath("golden.workload"));
  const { key, certificate } = selfSigned();
  authority = join(server.folder, "ca.pem");
  writeFileSync(authority, certificate);
  gate = createServer({ key, cert: certificate }, (outer) => {
    const inner = connect(server.port, "127.0.0.1");
    inner.on("error", () => outer.destroy());
    outer.on("error", () => inner.destroy());
    outer.pipe(inner).pipe(outer);
  });
  await once(gate.listen(0, "127.0.0.1"), "listening");
});

after(async () => {
  gate.close();
  await server.stop();
});

const behind = (tls: object | null) => trial(0, { target: { host: "127.0.0.1", port: port(), tls } });
const port = () => (gate.address() as AddressInfo).port;

describe("TLS", () => {
  for (const name of ["the authority's file", "no verification"]) {
    it(`works with ${name}`, async () => {
      const tls = name === "no verification" ? { verify: false } : { ca_file: authority };
      const runner = Runner.with(behind(tls));
      await runner.ready();
      assert.ok((await runner.slice()).measured.operations > 0);
      await runner.finish();
      runner.closeInput();
      assert.equal((await runner.ended()).exitCode, 0);
    });
  }

  it("refuses a certificate that nobody vouches for", async () => {
    const { exitCode, lastLine } = await failing(behind({}));
    assert.equal(exitCode, 4);
    assert.match(lastLine, /a certificate that is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT.*: give the right ca_file/);
  });

  it("is asked for when the server wants it", async () => {
    const { exitCode, lastLine } = await failing(behind(null));
    assert.equal(exitCode, 4);
    assert.match(lastLine, /TLS on this port/);
  });
});
