import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Faults } from "../contract/faults_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { certificateOf, certify, fingerprintOf, stackSigner } from "./certificate_fixture.ts";
import { countArrived } from "./direct_fixture.ts";
import { type Stranger, strangersOf } from "./strangers_fixture.ts";
import { endEnvoy, expectRefused, hostOf, requestText, visit } from "./visit_fixture.ts";

const VERSIONS = ["-tls1_3", "-tls1_2"] as const;

describe("client certificates at Envoy", () => {
  let stack: Stack;
  let health: string;
  let strangers: Stranger[];
  before(async () => {
    stack = await Stack.open({ envoy: true });
    health = requestText(hostOf(stack), "GET /health");
    strangers = await strangersOf(stack);
  });
  after(() => stack.close());

  it("are accepted if they are a partner's, over TLS 1.3 and 1.2", async () => {
    const presents = await certificateOf(stack.partner);
    for (const version of VERSIONS) {
      const { reply } = await visit(stack, presents, {
        options: [version],
        sends: health,
      });
      assertEquals([reply?.status, await reply?.text()], [200, '{"status":"ok"}'], version);
    }
  });

  it("get a specific alert if they are not a partner's, and no request is forwarded", async () => {
    const [faults, arrived] = [new Faults(), await countArrived(stack)];
    for (const { what, presents, chain, alert, olderAlert = alert } of strangers) {
      for (const version of VERSIONS) {
        const plan = { options: [version], ...(chain === undefined ? {} : { chain }) };
        await faults.note(`${what}, ${version}`, async () => {
          const silent = await visit(stack, presents, plan);
          assertEquals(silent.alert, version === "-tls1_3" ? alert : olderAlert, silent.said);
          // Send a request, too, because under TLS 1.3 the client sends it before the server has checked the
          // certificate.
          const hasty = await visit(stack, presents, { ...plan, sends: health });
          assertEquals([hasty.reply, hasty.ended], [undefined, true]);
        });
      }
    }
    faults.expectNone();
    assertEquals(await countArrived(stack), arrived);
  });

  it("are checked for their issuer even without a revocation list", async () => {
    const port = await stack.openEnvoy({});
    const alerts: Record<string, string | undefined> = {};
    for (const { what, presents, chain } of strangers) {
      if (chain !== undefined) alerts[what] = (await visit(stack, presents, { port, chain })).alert;
    }
    assertEquals(alerts, {
      "a certificate below a foreign intermediate": "unknown_ca",
      "a certificate below an intermediate of the own CA": "unknown_ca",
      "a certificate signed by a partner": "unknown_ca",
    });
  });

  it("are refused only with alerts and reasons that the deployment guide explains", async () => {
    const page = await readFile(new URL("../../docs/deployment.md", import.meta.url), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| "));
    for (const { what, alert, olderAlert = alert, reason } of strangers) {
      const row = rows.find((line) =>
        [alert, olderAlert, reason].every((word) => line.includes(`\`${word}\``))
      );
      assert(row, `${what}: no row has ${alert} and ${reason}`);
    }
  });

  it("get 403 certificate_unknown from the service if they are not registered", async () => {
    const own = await stackSigner(stack);
    const { client_id } = stack.partner.credentials;
    const unregistered = {
      "with the partner's names": await certify(own, { subject: `O=Example Bank, CN=${client_id}` }),
      "without a named purpose": await certify(own, { purposes: [] }),
      "P-384": await certify(own, { key: "P-384" }),
    };
    const faults = new Faults();
    for (const [what, certificate] of Object.entries(unregistered)) {
      await faults.note(
        what,
        () => expectRefused(stack, certificate, "certificate_unknown", health),
      );
    }
    faults.expectNone();
  });

  it("are logged with fingerprint and reason when the handshake is refused", async () => {
    await endEnvoy(stack);
    const text = await readFile(stack.running.state.path("log", "access.log"), "utf8");
    const lines = text.trim().split("\n").map((line) => JSON.parse(line) as Record<string, string | null>);
    for (const { what, presents, reason } of strangers) {
      const fingerprint = reason.startsWith("peer_did_not") ? null : fingerprintOf(presents!);
      const own = lines.filter(({ kind, failure, certificate_sha256 }) =>
        kind === "connection" && failure !== null && certificate_sha256 === fingerprint
      );
      assertEquals(own.length >= 4, true, `${what}: ${own.length} lines`);
      for (const { failure, client_ip } of own) {
        assertStringIncludes(failure!, reason, `${what}: ${failure}`);
        assertEquals(client_ip, "127.0.0.1");
      }
    }
  });
});
