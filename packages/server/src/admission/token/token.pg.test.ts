import { randomBytes } from "node:crypto";
import { before, describe, it } from "node:test";
import { signCompact } from "@gold-partner/jws";
import { assertEquals, assertMatch } from "@std/assert";
import { hostBytes, type ProblemCode } from "@gold-partner/protocol";
import { addTestCertificate, newTestKey, type TestKey } from "../../../testing/partner.ts";
import { expectProblem } from "../../../testing/problem.ts";
import { suiteService } from "../../../testing/service.ts";
import { thumbprintOf } from "./token_authority.ts";

describe("verification of access tokens", () => {
  const service = suiteService();
  let token: string;
  /** A registered token key whose private key the test knows, so that the test can sign tokens with it. */
  let key: TestKey;
  before(async () => {
    token = await service.token();
    key = await newTestKey();
    await registerTokenKey(key, null);
  });

  async function registerTokenKey({ thumbprint, publicJwk }: TestKey, retireInSeconds: number | null) {
    const { sql } = service.books;
    // Older than the service's own key, so that the service never signs with it.
    await sql`
      select gold.add_token_key(${thumbprint}, ${sql.json({ ...publicJwk } as never)}::jsonb, '\\x00', 'none',
        clock_timestamp() - interval '1 day')`;
    await sql`update gold.token_key set retire_at = clock_timestamp() + make_interval(secs => ${retireInSeconds}) where kid = ${thumbprint}`;
    await sql`update gold.registry_version set version = version + 1`;
    await service.refresh();
  }
  const claims = (changes: Record<string, unknown> = {}) => ({
    iss: service.config.publicBaseUrl,
    aud: service.config.publicBaseUrl,
    sub: service.partner.clientId,
    client_id: service.partner.clientId,
    iat: Math.floor(service.now() / 1000),
    exp: Math.floor(service.now() / 1000) + 600,
    jti: "test",
    cnf: { "x5t#S256": thumbprintOf(service.partner.fingerprint) },
    ...changes,
  });
  const forge = (content: unknown, signer = key, header: { typ?: string; kid?: string } = {}) =>
    signCompact(
      hostBytes.utf8(JSON.stringify(content)),
      { typ: header.typ ?? "at+jwt" },
      { ...signer.signer, kid: header.kid ?? signer.thumbprint },
    );
  const call = (authorization: string | null, more: Record<string, string> = {}) =>
    service.send("/v1/balances", { method: "GET", headers: { Authorization: authorization, ...more } });
  const refused = async (authorization: string | null, code: ProblemCode) => {
    await expectProblem(call(authorization), code);
  };

  it("accepts a token of the service, with Bearer in upper or lower case", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer "]) {
      assertEquals((await call(`${scheme} ${token}`)).status, 200, scheme);
    }
    assertEquals((await call(`Bearer ${await forge(claims())}`)).status, 200);
  });

  it("answers token_missing without an Authorization header", () => refused(null, "token_missing"));

  it("answers token_invalid to an Authorization header that is not exactly one Bearer token", async () => {
    const forms = [
      "",
      "Bearer",
      token,
      `Basic ${token}`,
      `Bearer ${token} x`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer\t${token}`,
      "Bearer garbage",
      "Bearer a.b.c",
      `Bearer ${token}=`,
    ];
    for (const form of forms) await refused(form, "token_invalid");
  });

  it("answers token_invalid to a token that was changed", async () => {
    const [header, payload, signature] = token.split(".") as [string, string, string];
    const none = hostBytes.base64url(hostBytes.utf8('{"alg":"none","typ":"at+jwt"}'));
    const flipped = `${payload.slice(0, 20)}${payload[20] === "A" ? "B" : "A"}${payload.slice(21)}`;
    const others = [`${header}.${flipped}.${signature}`, `${none}.${payload}.`, `${header}.${payload}.`];
    for (const other of others) {
      await refused(`Bearer ${other}`, "token_invalid");
    }
  });

  it("answers token_invalid to a token of an unknown key, with a false kid or with another typ", async () => {
    const stranger = await newTestKey();
    await refused(`Bearer ${await forge(claims(), stranger)}`, "token_invalid");
    await refused(`Bearer ${await forge(claims(), stranger, { kid: key.thumbprint })}`, "token_invalid");
    await refused(`Bearer ${await forge(claims(), key, { typ: "JWT" })}`, "token_invalid");
  });

  it("answers token_invalid to a token of another environment", async () => {
    await refused(`Bearer ${await forge(claims({ iss: "https://other.example" }))}`, "token_invalid");
    await refused(`Bearer ${await forge(claims({ aud: "https://other.example" }))}`, "token_invalid");
  });

  it("answers token_expired after 600 seconds", async () => {
    const issued = claims();
    const fresh = await forge(issued);
    // Stay 30 s before the end of the token, so that a slow machine does not fail the test.
    service.shiftClock(issued.exp * 1000 - service.now() - 30_000);
    assertEquals((await call(`Bearer ${fresh}`)).status, 200);
    service.shiftClock(601_000);
    await refused(`Bearer ${fresh}`, "token_expired");
    await refused(`Bearer ${token}`, "token_expired");
    service.shiftClock(0);
  });

  it("answers token_certificate_mismatch to another certificate, also of the same partner", async () => {
    const renewed = randomBytes(32).toString("hex");
    await addTestCertificate(service.books.sql, service.partner.clientId, renewed);
    const other = await service.addPartner();
    for (const fingerprint of [renewed, other.fingerprint]) {
      const reply = await call(`Bearer ${token}`, { "X-Forwarded-Client-Cert": `Hash=${fingerprint}` });
      await expectProblem(reply, "token_certificate_mismatch");
    }
  });

  it("answers token_certificate_mismatch if the token's sub is another partner", async () => {
    const other = await service.addPartner();
    await refused(`Bearer ${await forge(claims({ sub: other.clientId }))}`, "token_certificate_mismatch");
  });

  it("refuses the tokens of a retired token key, even tokens that it accepted before", async () => {
    const retiring = await newTestKey();
    await registerTokenKey(retiring, 3600);
    const signed = await forge(claims(), retiring);
    assertEquals((await call(`Bearer ${signed}`)).status, 200);
    await service.books
      .sql`update gold.token_key set retire_at = clock_timestamp() - interval '1 second' where kid = ${retiring.thumbprint}`;
    await service.books.sql`update gold.registry_version set version = version + 1`;
    await service.refresh();
    await refused(`Bearer ${signed}`, "token_invalid");
  });

  it("refuses the tokens of a token key once its retire_at has passed", async () => {
    const retiring = await newTestKey();
    await registerTokenKey(retiring, 100);
    const signed = await forge(claims(), retiring);
    assertEquals((await call(`Bearer ${signed}`)).status, 200);
    service.shiftClock(100_000);
    await refused(`Bearer ${signed}`, "token_invalid");
    service.shiftClock(0);
  });

  it("refuses a suspended partner's tokens, and accepts them again when the partner is resumed", async () => {
    const bank = await service.addPartner();
    const send = () => service.send("/v1/balances", { method: "GET", partner: bank });
    assertEquals((await send()).status, 200);
    await service.books.sql`select gold.suspend_partner(${bank.clientId})`;
    await service.refresh();
    await expectProblem(send(), "partner_suspended");
    await service.books.sql`select gold.resume_partner(${bank.clientId})`;
    await service.refresh();
    assertEquals((await send()).status, 200);
  });

  it("names the token's error in WWW-Authenticate, but no error if no token was sent", async () => {
    const challenge = async (authorization: string | null) =>
      (await call(authorization)).headers.get("WWW-Authenticate")!;
    assertEquals(await challenge(null), 'Bearer realm="gold-partner"');
    assertMatch(await challenge("Bearer x"), /error="invalid_token", error_description="token_invalid"$/);
  });
});
