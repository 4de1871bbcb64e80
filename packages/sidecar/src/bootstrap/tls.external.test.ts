import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { setTimeout as sleep } from "node:timers/promises";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import type { Identity } from "../pki_fixture.ts";

const WITHIN_MS = 2000;
const TIMEOUT_MS = 30_000;

describe("the handshake", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy()));
  after(() => fixture.stop());

  const comesIn = ({ cert, key }: Identity): Promise<boolean> =>
    fixture.send(request("GET /health"), { cert, key }).then(
      ({ status }) => status === 200,
      () => false,
    );

  it("uses a new revocation list and a new server certificate within two seconds", async () => {
    const { authority } = fixture;
    const kept = authority.issue("kept");
    const revoked: Identity[] = [];
    const tookMs: number[] = [];
    // One of five attempts must be fast enough, because other load on the machine may slow some.
    while (tookMs.length < 5 && !tookMs.some((ms) => ms < WITHIN_MS)) {
      const next = authority.issue(`revoked_${tookMs.length}`);
      const server = authority.issue("localhost", "serverAuth");
      assert(await comesIn(next));
      const presented = await serialOf(fixture);
      revoked.push(next);
      await fixture.trust(revoked);
      fixture.presentServer(server);
      const startedMs = performance.now();
      while (await comesIn(next) || await serialOf(fixture) === presented) {
        assert(performance.now() - startedMs < TIMEOUT_MS, "the condition was not met in time");
        await sleep(50);
      }
      tookMs.push(performance.now() - startedMs);
    }
    assert(tookMs.some((ms) => ms < WITHIN_MS), `${tookMs.join(", ")} ms`);
    assertEquals([await comesIn(revoked.at(-1)!), await comesIn(kept)], [false, true]);
  });
});

async function serialOf(fixture: TestEnvoy): Promise<string> {
  const socket = await fixture.open();
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
