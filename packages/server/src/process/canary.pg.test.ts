import { Buffer } from "node:buffer";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { newTestKey, type TestPartner } from "../../testing/partner.ts";
import { suiteService } from "../../testing/service.ts";

const IBAN = "SA4420000001234567891234";

describe("a secret", () => {
  const service = suiteService();
  let partner: TestPartner;
  let canaries: Record<string, string>;

  before(async () => {
    partner = await service.addPartner({ iban: IBAN });
    await service.books.addBar(1_000_000n);
    canaries = {
      "client secret": partner.clientSecret,
      "webhook secret": partner.webhookSecret.slice("whsec_".length),
      "private key": partner.signingKey.privateJwk.d,
      token: await service.token(partner),
      IBAN,
    };
    await sendSecretsEverywhere();
  });

  /**
   * Sends valid and invalid requests of every kind, with secrets in every place where a caller can put one.
   */
  async function sendSecretsEverywhere(): Promise<void> {
    await service.books.sql`
      select gold.create_partner('sbx_00000000000000000001', 'Test', ${IBAN}, null, 1, 1, 1, '{}', sha256(''), '\\x00', 'none', '[]')`;
    const { token } = canaries as { token: string };
    const form = (secret: string) =>
      `grant_type=client_credentials&client_id=${partner.clientId}&client_secret=${
        encodeURIComponent(secret)
      }`;
    const tokenCall = (body: string, headers: Record<string, string | null> = {}) =>
      service.send("/oauth/token", {
        partner,
        body,
        headers: { Authorization: null, "Content-Type": "application/x-www-form-urlencoded", ...headers },
      });
    const replies = [
      service.send("/sandbox/fund", { partner, body: '{"amount_sar":100000}' }),
      service.send("/v1/balances", { partner, method: "GET" }),
      service.send("/v1/balances", {
        partner,
        method: "GET",
        headers: { Authorization: `Bearer ${token}x` },
      }),
      service.send(`/v1/balances?access_token=${token}`, {
        partner,
        method: "GET",
        headers: { Authorization: null },
      }),
      service.send(`/v1/${partner.clientSecret}`, { partner, method: "GET" }),
      service.send("/v1/quotes", {
        partner,
        body: JSON.stringify({ [partner.clientSecret]: token, iban: IBAN }),
      }),
      service.send("/v1/quotes", { partner, body: `{"side":${token}` }),
      service.send("/v1/orders", { partner, body: "{}", target: `/v1/%6f${token}` }),
      tokenCall(form(partner.clientSecret)),
      tokenCall(form(`${partner.clientSecret}x`)),
      tokenCall(form(partner.clientSecret), {
        Authorization: `Basic ${btoa(`${partner.clientId}:${partner.clientSecret}`)}`,
      }),
      tokenCall(`${form(partner.clientSecret)}&client_secret=${partner.clientSecret}`),
      service.signed("/v1/orders", '{"quote_id":"qt_none"}', { partner }),
      service.signed("/v1/orders", JSON.stringify(partner.signingKey.privateJwk), { partner }),
      service.signed("/v1/orders", "{}", { partner, key: await newTestKey() }),
      service.signed("/v1/signed-probe", partner.webhookSecret, { partner }),
      service.signed("/v1/signed-probe", token, { partner, signedBody: "another" }),
    ];
    for (const reply of await Promise.all(replies)) await reply.body?.cancel();
    const quote = await service.send("/v1/quotes", { partner, body: '{"side":"buy","gold_grams":1}' });
    const { quote_id } = await quote.json() as { quote_id: string };
    const order = await service.signed("/v1/orders", JSON.stringify({ quote_id }), { partner });
    assertEquals(order.status, 201);
    await breakTheDatabase();
  }

  /**
   * Causes an unexpected error, because the message of such an error may contain a statement and its
   * parameters.
   */
  async function breakTheDatabase(): Promise<void> {
    const { sql } = service.books;
    await sql`alter table gold.idempotency_key add constraint broken check (length(key) < 40) not valid`;
    const reply = await service.send("/v1/quotes", {
      partner,
      body: '{"side":"buy","gold_grams":1}',
      headers: { "Idempotency-Key": canaries["client secret"] + canaries["webhook secret"]! },
    });
    assertEquals(reply.status, 500);
    const body = await reply.text();
    for (const [name, value] of Object.entries(canaries)) assert(!body.includes(value), `${name} in a 500`);
    await sql`alter table gold.idempotency_key drop constraint broken`;
  }

  it("never appears in the log", () => {
    assert(service.log.length > 20);
    assert(service.log.some((line) => line.includes('"sqlstate":"23514"')));
    const log = service.log.join("\n");
    for (const [name, value] of Object.entries(canaries)) {
      assert(!log.includes(value), `${name} is in the log`);
      assert(!log.includes(value.slice(0, 16)), `a part of ${name} is in the log`);
    }
  });

  it("never appears in the database, except the IBAN in its own columns and in the audit", async () => {
    const { sql } = service.books;
    const columns = await sql<{ table_schema: string; table_name: string; column_name: string }[]>`
      select table_schema, table_name, column_name from information_schema.columns
      where table_schema in ('gold', 'gold_migrations') and data_type in ('text', 'bytea', 'jsonb', 'json', 'character varying')
      and (table_schema, table_name) in (select schemaname, tablename from pg_tables)`;
    assert(columns.length > 25);
    const found: string[] = [];
    for (const { table_schema, table_name, column_name } of columns) {
      const rows = await sql<{ value: string }[]>`
        select ${sql(column_name)}::text as value from ${sql(table_schema)}.${sql(table_name)} where ${
        sql(column_name)
      } is not null`;
      for (const [name, canary] of Object.entries(canaries)) {
        // Search for the hex of the secret's text and of the bytes that its base64 text encodes. The query
        // returns bytea as hex.
        const forms = [
          canary,
          Buffer.from(canary).toString("hex"),
          Buffer.from(canary, "base64").toString("hex"),
        ];
        const holds = rows.some(({ value }) => forms.some((form) => value.includes(form)));
        if (holds) found.push(`${name}: ${table_name}.${column_name}`);
      }
    }
    assertEquals(found.sort(), ["IBAN: audit.detail", "IBAN: partner.iban", "IBAN: partner_change.iban"]);
  });
});
