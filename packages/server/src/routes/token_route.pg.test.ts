import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import {
  BODY_MAX_BYTES,
  TOKEN_PROBLEM_REGISTRY,
  tokenErrorSchema,
  type TokenProblemCode,
  tokenReply,
} from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Sending, suiteService } from "../../testing/service.ts";
import type { TestPartner } from "../../testing/partner.ts";

const FORM = "application/x-www-form-urlencoded";

describe("POST /oauth/token", () => {
  const service = suiteService();

  const send = (body: string, sending: Sending = {}) =>
    service.send("/oauth/token", {
      ...sending,
      body,
      headers: { Authorization: null, "Content-Type": FORM, ...sending.headers },
    });
  const form = (changes: Record<string, string> = {}, partner = service.partner) =>
    new URLSearchParams({
      grant_type: "client_credentials",
      client_id: partner.clientId,
      client_secret: partner.clientSecret,
      ...changes,
    }).toString();

  /** Checks every part of a refusal in OAuth's error format. Returns its description. */
  async function refused(reply: Response, code: TokenProblemCode, error: string): Promise<string> {
    const body = tokenErrorSchema.strict().parse(await reply.json());
    assertEquals([body.code, body.error], [code, error], body.error_description);
    assertEquals(reply.status, TOKEN_PROBLEM_REGISTRY[code].status);
    assertEquals(reply.headers.get("Content-Type"), "application/json");
    assertEquals(reply.headers.get("Cache-Control"), "no-store");
    assertEquals(reply.headers.get("X-Request-Id"), body.request_id);
    assertEquals(reply.headers.has("WWW-Authenticate"), reply.status === 401);
    return body.error_description;
  }
  const asWrongClient = async (reply: Response) => {
    const description = await refused(reply, "invalid_client", "invalid_client");
    return [reply.status, description, reply.headers.get("WWW-Authenticate")];
  };

  it("returns a token for ten minutes, with Cache-Control: no-store", async () => {
    const reply = await send(form());
    assertEquals(reply.status, 200);
    assertEquals(reply.headers.get("Content-Type"), "application/json");
    assertEquals(reply.headers.get("Cache-Control"), "no-store");
    const { token_type, expires_in } = tokenReply.strict().parse(await reply.json());
    assertEquals([token_type, expires_in], ["Bearer", 600]);
  });

  it("accepts a charset, and ignores unknown parameters", async () => {
    assertEquals((await send(form(), { headers: { "Content-Type": `${FORM}; charset=UTF-8` } })).status, 200);
    assertEquals((await send(form({ scope: "orders", audience: "x" }))).status, 200);
  });

  it("rejects a repeated parameter, even with the same value", async () => {
    for (const name of ["grant_type", "client_id", "client_secret", "scope"]) {
      const value = new URLSearchParams(form({ scope: "x" })).get(name)!;
      const reply = await send(`${form({ scope: "x" })}&${name}=${encodeURIComponent(value)}`);
      assertStringIncludes(await refused(reply, "invalid_request", "invalid_request"), name);
    }
  });

  it("shortens a repeated parameter's name, and replaces characters in it that OAuth forbids", async () => {
    for (const name of ['"', "\\", "\0", "a\nb", "ذ", "\x7f"]) {
      const twice = `${encodeURIComponent(name)}=1&`.repeat(2);
      const description = await refused(await send(twice + form()), "invalid_request", "invalid_request");
      assertMatch(description, /^a?\?b? was sent more than once; send it once\.$/);
    }
    const long = `${"n".repeat(1000)}=1&`.repeat(2);
    const description = await refused(await send(long + form()), "invalid_request", "invalid_request");
    assertEquals(description, `${"n".repeat(64)} was sent more than once; send it once.`);
  });

  it("names a missing parameter", async () => {
    for (const name of ["grant_type", "client_id", "client_secret"]) {
      const parameters = new URLSearchParams(form());
      parameters.delete(name);
      const reply = await send(parameters.toString());
      assertStringIncludes(await refused(reply, "invalid_request", "invalid_request"), name);
    }
  });

  it("rejects any other grant type", async () => {
    for (const grant_type of ["password", "CLIENT_CREDENTIALS", "authorization_code"]) {
      await refused(await send(form({ grant_type })), "unsupported_grant_type", "unsupported_grant_type");
    }
  });

  it("rejects HTTP Basic, and names the form body as the place for the credentials", async () => {
    const { clientId, clientSecret } = service.partner;
    const Authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    for (const body of [form(), "grant_type=client_credentials"]) {
      const reply = await send(body, { headers: { Authorization } });
      const description = await refused(reply, "invalid_client", "invalid_client");
      assertStringIncludes(description, "client_id and client_secret in the form body");
    }
  });

  it("gives the same answer to an unknown client, a wrong secret and a foreign certificate", async () => {
    const other = await service.addPartner();
    const answers = [
      await asWrongClient(await send(form({ client_id: "sbx_aaaaaaaaaaaaaaaaaaaa" }))),
      await asWrongClient(await send(form({ client_id: "__proto__" }))),
      await asWrongClient(await send(form({ client_secret: randomBytes(32).toString("base64url") }))),
      await asWrongClient(await send(form({ client_secret: service.partner.clientSecret.toLowerCase() }))),
      await asWrongClient(await send(form(), { partner: other })),
      await asWrongClient(await send(form({ client_secret: other.clientSecret }))),
      await asWrongClient(await send(form({ client_id: other.clientId }))),
    ];
    for (const answer of answers) assertEquals(answer, answers[0]!);
  });

  it("returns access_denied for an unknown certificate, a forbidden IP or a suspended partner", async () => {
    const unknown = { "X-Forwarded-Client-Cert": `Hash=${"0".repeat(64)}` };
    await refused(await send(form(), { headers: unknown }), "certificate_unknown", "access_denied");
    await refused(
      await send(form(), { headers: { "X-Client-Ip": "192.0.2.1" } }),
      "ip_not_allowed",
      "access_denied",
    );
    const bank: TestPartner = await service.addPartner();
    await service.books.sql`select gold.suspend_partner(${bank.clientId})`;
    await service.refresh();
    await refused(await send(form({}, bank), { partner: bank }), "partner_suspended", "access_denied");
  });

  it("uses OAuth's error format also for the refusals that every endpoint can return", async () => {
    const large = `${form()}&x=${"x".repeat(BODY_MAX_BYTES)}`;
    await refused(await send(large), "body_too_large", "invalid_request");
    const json = { headers: { "Content-Type": "application/json" } };
    await refused(await send(form(), json), "unsupported_media_type", "invalid_request");
    const latin = { headers: { "Content-Type": `${FORM}; charset=iso-8859-1` } };
    await refused(await send(form(), latin), "unsupported_media_type", "invalid_request");
    await refused(
      await service.send("/oauth/token", { method: "GET", headers: { Authorization: null } }),
      "method_not_allowed",
      "invalid_request",
    );
    await refused(await send(form(), { target: "/oauth//token" }), "path_not_allowed", "invalid_request");
  });

  it("rejects a form that is not UTF-8", async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode(`${form()}&x=`), 0xff]);
    const reply = await service.send("/oauth/token", {
      body: bytes,
      headers: { Authorization: null, "Content-Type": FORM },
    });
    await refused(reply, "invalid_request", "invalid_request");
  });

  it("binds the token to the certificate, with the claims of RFC 8705 and RFC 9068", async () => {
    const { access_token } = await (await send(form())).json() as { access_token: string };
    const [header, payload] = access_token.split(".").slice(0, 2).map((part) =>
      JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>
    );
    assertEquals([header!.alg, header!.typ], ["ES256", "at+jwt"]);
    const { iss, aud, sub, client_id, iat, exp, cnf } = payload as Record<string, never>;
    const { clientId, fingerprint } = service.partner;
    assertEquals([iss, aud, sub, client_id], [
      service.config.publicBaseUrl,
      service.config.publicBaseUrl,
      clientId,
      clientId,
    ]);
    assertEquals(Number(exp) - Number(iat), 600);
    assertEquals(cnf, { "x5t#S256": Buffer.from(fingerprint, "hex").toString("base64url") });
    assert(Math.abs(Number(iat) - service.now() / 1000) < 30);
  });
});
