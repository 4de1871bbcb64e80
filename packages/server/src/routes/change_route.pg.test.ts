import { createHash, randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { type ChangeReply, changeReply, changesReply, ENDPOINTS } from "@gold-partner/protocol";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { itLeavesNoDefects } from "../../testing/books.ts";
import { newTestKey, type TestPartner } from "../../testing/partner.ts";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";

const PATH = "/v1/account/changes";
const { certificate_request } = ENDPOINTS.requestChange.request!.examples.certificate_request as {
  certificate_request: string;
};
const RANGE = { ip_range: "198.51.100.0/24" };
const ENDPOINT = { webhook_endpoint: { url: "https://hooks.example/gold", types: ["order.executed"] } };

describe("the changes that a partner requests", () => {
  const service = suiteService();

  const ask = (partner: TestPartner, body: object, more: Record<string, unknown> = {}) =>
    service.signed(PATH, JSON.stringify(body), { partner, ...more });
  async function asked(partner: TestPartner, body: object): Promise<ChangeReply> {
    const reply = await ask(partner, body);
    const text = await reply.text();
    assertEquals(reply.status, 201, text);
    return changeReply.strict().parse(JSON.parse(text));
  }
  const read = async (partner: TestPartner, id = "") =>
    await (await service.send(PATH + id, { method: "GET", partner })).json();
  const decline = (id: string) =>
    service.books.sql`select gold.decline_change(${id.slice(4)}::uuid, 'Not announced by phone')`;

  /** Everything that admission and delivery read. */
  async function registered(): Promise<string> {
    const [row] = await service.books.sql`
      select md5(concat((select document from gold.read_registry(null)), (select json_agg(r) from gold.receiver r),
        (select json_agg(s) from gold.webhook_secret s), (select json_agg(i) from gold.allowed_ip i),
        (select count(*) from gold.event), (select json_agg(a.admission_version) from gold.account a))) as hash`;
    return row!.hash;
  }

  it("are stored as they were sent, and change nothing that admission and delivery read", async () => {
    const key = await newTestKey("hsm-2");
    const contents = [
      { signing_key: { ...key.publicJwk, kid: "hsm-2" } },
      { certificate_request },
      RANGE,
      ENDPOINT,
      { webhook_endpoint: { url: "https://hooks.example/all" } },
    ];
    for (const content of contents) {
      const partner = await service.addPartner();
      const before = await registered();
      const { change_id, requested_at, ...made } = await asked(partner, content);
      const [kind] = Object.keys(content);
      const open = { status: "requested", decided_at: null, reason: null, certificate: null };
      assertEquals<unknown>(made, { kind, ...open, ...content });
      assertEquals(await read(partner, `/${change_id}`), { change_id, requested_at, ...made });
      assertEquals(changesReply.parse(await read(partner)).items.map((each) => each.change_id), [change_id]);
      assertEquals(await registered(), before);
      const order = (more: object) =>
        service.signed("/v1/orders", '{"quote_id":"qt_none"}', { partner, ...more });
      await expectProblem(order({ key }), "signature_invalid");
      await expectProblem(order({ headers: { "X-Client-Ip": "198.51.100.7" } }), "ip_not_allowed");
    }
  });

  it("are stored with what the answering change must have, in the form in which gold proposes it", async () => {
    const key = await newTestKey();
    const wanted = { thumbprint: key.thumbprint, jwk: key.publicJwk };
    const der = Buffer.from(certificate_request.replace(/-----[^-]+-----/g, ""), "base64");
    // The key follows the name; 59 is the length of its structure.
    const spki = der.subarray(der.indexOf(Buffer.from("3059301306072a8648ce3d0201", "hex"))).subarray(0, 91);
    const url = "https://Hooks.example:443/a/../gold?q=%7e";
    const cases: readonly [content: object, wanted: object][] = [
      [{ signing_key: key.publicJwk }, { ...wanted, kid: null }],
      [{ signing_key: { ...key.publicJwk, kid: "hsm-2" } }, { ...wanted, kid: "hsm-2" }],
      [{ certificate_request }, { key_hash: createHash("sha256").update(spki).digest("hex") }],
      [{ ip_range: "198.51.100.7" }, { range: "198.51.100.7/32" }],
      [{ ip_range: "2001:DB8:0::/48" }, { range: "2001:db8::/48" }],
      [{ ip_range: "::ffff:198.51.100.0/120" }, { range: "198.51.100.0/24" }],
      [{ webhook_endpoint: { url } }, { url: "https://hooks.example/gold?q=%7e" }],
      [ENDPOINT, ENDPOINT.webhook_endpoint],
    ];
    for (const [content, expected] of cases) {
      const { change_id } = await asked(await service.addPartner(), content);
      const [row] = await service.books.sql`
        select wanted::jsonb from gold.change_request where id = ${change_id.slice(4)}::uuid`;
      assertEquals(row!.wanted, expected);
    }
  });

  it("are refused with a secret, a private key, an IBAN, no content or two contents, before the nonce is spent", async () => {
    const partner = await service.addPartner();
    const { privateJwk, publicJwk } = await newTestKey();
    const nonce = randomUUID();
    const refused: Record<string, object> = {
      "Never send a private key (d)": { signing_key: privateJwk },
      "Its secret comes from the operator": {
        webhook_endpoint: { ...ENDPOINT.webhook_endpoint, secret: "whsec_x" },
      },
      "This member is unknown": { iban: "SA0380000000608010167519" },
      "got none of them": {},
      "got 2 of them": { ...RANGE, ...ENDPOINT },
      "signing_key must be an object": { signing_key: 7 },
      'crv must be "P-256"': { signing_key: { ...publicJwk, crv: "P-384" } },
      "kid must be 1 to 128": { signing_key: { ...publicJwk, kid: "two words" } },
      "types must be an array": { webhook_endpoint: { ...ENDPOINT.webhook_endpoint, types: [] } },
      'types may have only types of events, such as order.executed; got "unknown"': {
        webhook_endpoint: { ...ENDPOINT.webhook_endpoint, types: ["unknown"] },
      },
      "url must be an https URL": { webhook_endpoint: { url: "http://hooks.example/" } },
      "one PEM block": { certificate_request: `x${certificate_request}` },
    };
    for (const name of ["client_secret", "webhook_secret", "private_key", "ips", "webhook_url", "limits"]) {
      await expectProblem(ask(partner, { ...RANGE, [name]: "x" }, { nonce }), "invalid_request");
    }
    for (const [detail, body] of Object.entries(refused)) {
      const problem = await expectProblem(ask(partner, body, { nonce }), "invalid_request");
      assertStringIncludes(JSON.stringify(problem).replaceAll('\\"', '"'), detail);
    }
    assertEquals((await ask(partner, RANGE, { nonce })).status, 201);
    await expectProblem(ask(partner, RANGE, { nonce }), "nonce_reused");
  });

  it("are refused if no operator could register them", async () => {
    const partner = await service.addPartner();
    const { publicJwk } = await newTestKey();
    const der = Buffer.from(certificate_request.replace(/-----[^-]+-----/g, ""), "base64");
    const pem = (bytes: Uint8Array) =>
      `-----BEGIN CERTIFICATE REQUEST-----\n${
        Buffer.from(bytes).toString("base64")
      }\n-----END CERTIFICATE REQUEST-----\n`;
    const edited = (at: number) => pem(der.map((byte, index) => index === at ? byte ^ 1 : byte));
    const refused: object[] = [
      { signing_key: { ...publicJwk, x: "A".repeat(43) } },
      // The bytes of the whole, of the name, of the key and of the signature.
      ...[1, 30, 110, der.length - 1].map((at) => ({ certificate_request: edited(at) })),
      { certificate_request: pem(der.subarray(0, -1)) },
      { certificate_request: pem(Buffer.concat([der, der])) },
      { certificate_request: pem(Buffer.from("hello")) },
      ...[
        "198.51.100.1/24",
        "0.0.0.0/0",
        "10.0.0.0/8",
        "2001:db8::/31",
        "1.2.3",
        "300.1.1.1",
        "::ffff:10.0.0.0/104",
      ]
        .map((ip_range) => ({ ip_range })),
      ...["https://10.1.2.3/", "https://u:p@hooks.example/"]
        .map((url) => ({ webhook_endpoint: { url } })),
    ];
    for (const body of refused) {
      const { errors } = await expectProblem(ask(partner, body), "invalid_request");
      assertStringIncludes(JSON.stringify(errors), `#/${Object.keys(body)[0]}`, JSON.stringify(body));
    }
    assertEquals(await read(partner), { items: [] });
  });

  it("do not tell one partner about the keys of another", async () => {
    const [partner, other] = [await service.addPartner(), await service.addPartner()];
    const own = await asked(partner, { signing_key: other.signingKey.publicJwk });
    assertEquals(own.status, "requested");
    const path = `${PATH}/${own.change_id}`;
    await expectProblem(service.send(path, { method: "GET", partner: other }), "not_found");
    assertEquals(await read(other), { items: [] });
  });

  it("get the same bytes for the same key, also after a decision", async () => {
    const partner = await service.addPartner();
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await ask(partner, RANGE, { headers });
    const text = await first.text();
    await decline(JSON.parse(text).change_id);
    const again = await ask(partner, RANGE, { headers });
    assertEquals([first.status, again.status, await again.text()], [201, 200, text]);
    await expectProblem(ask(partner, ENDPOINT, { headers }), "idempotency_key_conflict");
    const [change] = (await read(partner) as { items: ChangeReply[] }).items;
    assertEquals([change!.status, change!.reason], ["declined", "Not announced by phone"]);
  });

  it("are at most three at once, also among twenty concurrent requests, until one is declined", async () => {
    const partner = await service.addPartner();
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(partner, RANGE)));
    const made = replies.filter(({ status }) => status === 201);
    assertEquals(made.length, 3);
    const nonce = randomUUID();
    const headers = { "Idempotency-Key": randomUUID() };
    const problem = await expectProblem(ask(partner, RANGE, { nonce, headers }), "open_changes_exceeded");
    const { change_id } = await made[0]!.json() as ChangeReply;
    assertStringIncludes(problem.detail, `You have 3 of at most 3 open changes:`);
    assertStringIncludes(problem.detail, change_id);
    await decline(change_id);
    assertEquals((await ask(partner, RANGE, { nonce, headers })).status, 201);
  });

  it("need a token and a signature", async () => {
    const partner = await service.addPartner();
    await expectProblem(service.send(PATH, { partner, body: JSON.stringify(RANGE) }), "signature_missing");
    await expectProblem(ask(partner, RANGE, { headers: { Authorization: null } }), "token_missing");
  });

  itLeavesNoDefects(() => service.books);
});
