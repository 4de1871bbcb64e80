import { expectProblem } from "../../testing/problem.ts";
import { type Sending, suiteService, type TestService } from "../../testing/service.ts";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";

describe("sandbox and production", () => {
  const services = { sandbox: suiteService(), production: suiteService({ environment: "production" }) };

  const BOTH = [["sandbox", "production"], ["production", "sandbox"]] as const;
  const get = (path: string, more: Sending = {}): [string, Sending] => [path, { method: "GET", ...more }];

  for (const [home, abroad] of BOTH) {
    it(`${abroad} rejects a certificate of ${home}`, async () => {
      const stranger = services[home].partner;
      const reply = await services[abroad].send(
        ...get("/v1/balances", {
          headers: { "X-Forwarded-Client-Cert": `Hash=${stranger.fingerprint}` },
        }),
      );
      await expectProblem(reply, "certificate_unknown");
    });

    it(`${abroad} rejects a client_id and secret of ${home}`, async () => {
      const { clientId, clientSecret } = services[home].partner;
      const reply = await services[abroad].send("/oauth/token", {
        headers: { "Content-Type": "application/x-www-form-urlencoded", Authorization: null },
        body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
      });
      assertEquals([reply.status, (await reply.json() as { error: string }).error], [401, "invalid_client"]);
    });

    it(`${abroad} rejects a token of ${home}`, async () => {
      const Authorization = `Bearer ${await services[home].token()}`;
      await expectProblem(
        services[abroad].send(...get("/v1/balances", { headers: { Authorization } })),
        "token_invalid",
      );
    });

    it(`${abroad} rejects a signature over a URL of ${home}, even by a key of ${abroad}`, async () => {
      const reply = await services[abroad].signed("/v1/orders", '{"quote_id":"qt_x"}', {
        url: `${services[home].config.publicBaseUrl}/v1/orders`,
      });
      await expectProblem(reply, "signature_invalid");
    });

    it(`${abroad} returns 404 for a quote of ${home}`, async () => {
      const quoted = await services[home].send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}' });
      const { quote_id } = await quoted.json() as { quote_id: string };
      await expectProblem(services[abroad].signed("/v1/orders", JSON.stringify({ quote_id })), "not_found");
    });
  }

  it("begins the client_id with sbx_ in the sandbox and with live_ in production", async () => {
    for (const [home, prefix] of [["sandbox", "sbx_"], ["production", "live_"]] as const) {
      assertEquals(services[home].partner.clientId.slice(0, prefix.length), prefix);
      assertEquals((await services[home].send(...get("/v1/balances"))).status, 200);
    }
  });

  for (const setting of ["HA", "HEADS_FILE", "OPERATOR_KEYS"]) {
    it(`warns at the start of production with ${setting}=off, and not in the sandbox`, () => {
      const warnings = (of: TestService) => of.log.filter((line) => line.includes(`"setting":"${setting}"`));
      assertEquals(warnings(services.sandbox), []);
      assertEquals(warnings(services.production).map((line) => JSON.parse(line).level), ["warn"]);
    });
  }

  it("production returns 404 for POST /sandbox/fund before any other check", async () => {
    const bare = {
      "X-Forwarded-Client-Cert": null,
      "X-Client-Ip": null,
      Authorization: null,
      "Content-Type": null,
      "Idempotency-Key": null,
    };
    for (const headers of [bare, {}]) {
      for (const method of ["POST", "GET", "PUT"]) {
        const reply = await services.production.send("/sandbox/fund", { method, headers });
        assertEquals(reply.headers.get("Allow"), null);
        await expectProblem(reply, "not_found");
      }
    }
    assertEquals(
      (await services.sandbox.send("/sandbox/fund", { body: '{"amount_sar":1}' })).status,
      201,
    );
  });
});
