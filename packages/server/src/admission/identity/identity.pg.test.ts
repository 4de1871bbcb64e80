import { randomBytes } from "node:crypto";
import { before, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { addTestCertificate, type TestPartner } from "../../../testing/partner.ts";
import { expectProblem } from "../../../testing/problem.ts";
import { suiteService } from "../../../testing/service.ts";

describe("client certificate and client address", () => {
  const service = suiteService();

  const withHeaders = (headers: Record<string, string | null>, partner = service.partner) =>
    service.send("/health", { method: "GET", headers: { Authorization: null, ...headers }, partner });
  const addCertificate = async (period: { beginsSeconds?: number; endsSeconds?: number }) => {
    const fingerprint = randomBytes(32).toString("hex");
    await addTestCertificate(service.books.sql, service.partner.clientId, fingerprint, period);
    await service.refresh();
    return { "X-Forwarded-Client-Cert": `Hash=${fingerprint}` };
  };

  it("accepts a registered certificate", async () => {
    const reply = await withHeaders({});
    assertEquals([reply.status, await reply.text()], [200, '{"status":"ok"}']);
  });

  it("refuses a certificate that is not registered", async () => {
    const hash = randomBytes(32).toString("hex");
    await expectProblem(withHeaders({ "X-Forwarded-Client-Cert": `Hash=${hash}` }), "certificate_unknown");
  });

  it("accepts a certificate at once after its registration, before the next poll", async () => {
    const fingerprint = randomBytes(32).toString("hex");
    await addTestCertificate(service.books.sql, service.partner.clientId, fingerprint);
    assertEquals((await withHeaders({ "X-Forwarded-Client-Cert": `Hash=${fingerprint}` })).status, 200);
  });

  it("refuses a revoked certificate", async () => {
    const headers = await addCertificate({});
    assertEquals((await withHeaders(headers)).status, 200);
    const [, fingerprint] = headers["X-Forwarded-Client-Cert"].split("=");
    await service.books.sql`select gold.revoke_certificate(${fingerprint!})`;
    await service.refresh();
    await expectProblem(withHeaders(headers), "certificate_revoked");
  });

  it("refuses a certificate from its not_after time on, by the service's clock", async () => {
    const headers = await addCertificate({ endsSeconds: 3600 });
    service.shiftClock(3_570_000);
    assertEquals((await withHeaders(headers)).status, 200);
    service.shiftClock(3_600_000);
    await expectProblem(withHeaders(headers), "certificate_expired");
    service.shiftClock(0);
  });

  it("refuses a certificate that is not valid yet, and says so", async () => {
    const problem = await expectProblem(
      withHeaders(await addCertificate({ beginsSeconds: 60 })),
      "certificate_expired",
    );
    assertStringIncludes(problem.detail, "not valid yet");
  });

  it("refuses an X-Forwarded-Client-Cert header that is not exactly one hash", async () => {
    const hash = service.partner.fingerprint;
    const other = randomBytes(32).toString("hex");
    const forms = [
      null,
      "",
      hash,
      `hash=${hash}`,
      `Hash=${hash.toUpperCase()}`,
      `Hash=${hash.slice(1)}`,
      `Hash=${hash}0`,
      `Hash="${hash}"`,
      `Hash=${hash};Subject="CN=x"`,
      `By=spiffe://x;Hash=${hash}`,
      `Hash=${hash};Hash=${hash}`,
      `Hash=${hash}, Hash=${hash}`,
      `Hash=${other},Hash=${hash}`,
      `Hash=${hash},Hash=${other}`,
      `Subject="a\\",Hash=${hash}";Hash=${other}`,
    ];
    for (const form of forms) {
      const problem = await expectProblem(
        withHeaders({ "X-Forwarded-Client-Cert": form }),
        "certificate_unknown",
      );
      assertEquals(problem.detail, "The proxy forwarded no client certificate, or more than one.", `${form}`);
    }
  });

  describe("the client address", () => {
    let bank: TestPartner;
    before(async () => {
      bank = await service.addPartner({ ips: ["203.0.113.7/32", "198.51.100.0/25", "2001:db8:5::/48"] });
    });
    const from = (address: string | null) => withHeaders({ "X-Client-Ip": address }, bank);

    it("is accepted if it is registered or in a registered range, in any notation", async () => {
      const registered = [
        "203.0.113.7",
        "198.51.100.0",
        "198.51.100.127",
        "::ffff:203.0.113.7",
        "::FFFF:cb00:7107",
        "2001:db8:5::1",
        "2001:0DB8:0005:ffff::",
      ];
      for (const address of registered) assertEquals((await from(address)).status, 200, address);
    });

    it("is refused if it is not registered", async () => {
      const foreign = [
        "203.0.113.8",
        "198.51.100.128",
        "127.0.0.1",
        "::1",
        "::ffff:203.0.113.8",
        "2001:db8:6::1",
      ];
      for (const address of foreign) await expectProblem(from(address), "ip_not_allowed");
    });

    it("is refused if it is missing or not an IP address", async () => {
      const forms = [
        "localhost",
        "203.0.113.7, 203.0.113.7",
        "203.0.113.7:443",
        "203.0.113.7/32",
        "203.0.28935",
        "0xcb.0.113.7",
        "3405803783",
      ];
      for (const address of [null, "", ...forms]) {
        const problem = await expectProblem(from(address), "ip_not_allowed");
        assertEquals(problem.detail, "The proxy forwarded no valid client address.", `${address}`);
      }
    });

    it("is named in the refusal, so that the partner can have it registered", async () => {
      assertStringIncludes(
        (await expectProblem(from("192.0.2.99"), "ip_not_allowed")).detail,
        "192.0.2.99",
      );
    });

    it("is refused for a partner without any registered address", async () => {
      const nobody = await service.addPartner({ ips: [] });
      await expectProblem(withHeaders({}, nobody), "ip_not_allowed");
    });
  });
});
