import { expectProblem } from "../../../testing/problem.ts";
import { newTestKey, type TestPartner } from "../../../testing/partner.ts";
import { suiteService } from "../../../testing/service.ts";
import { randomBytes, randomUUID } from "node:crypto";
import { assertEquals, assertMatch } from "@std/assert";
import { before, describe, it } from "node:test";
import type { Sql } from "postgres";
import { assemble } from "../../process/assembly.ts";
import { readKeys } from "../../settings/key_source.ts";
import { createLog } from "../../operations/log.ts";
import { createSealing } from "../../settings/sealing.ts";

/** Malformed rows can come from an older version, a restore or manual SQL. */
describe("malformed rows", () => {
  const service = suiteService();
  let sql: Sql;
  let owner: TestPartner;
  before(async () => {
    sql = service.books.connect("superuser", 1);
    // Disable triggers and foreign keys for this connection, so that it can store malformed rows.
    await sql`set session_replication_role = replica`;
    owner = await service.addPartner();
  });

  const balances = async (partner: TestPartner) =>
    (await service.send("/v1/balances", { method: "GET", partner })).status;
  const orderStatus = async (partner: TestPartner) =>
    await expectProblem(
      service.signed("/v1/orders", `{"quote_id":"qt_${randomUUID()}"}`, { partner }),
      "not_found",
    );
  const skipped = () =>
    service.log.map((line) => JSON.parse(line)).filter(({ event }) => event === "malformed row skipped")
      .map(({ client_id, row }) => [client_id, row]);
  const raise = async () => {
    await sql`update gold.registry_version set version = version + 1`;
    await service.refresh();
  };

  it("only a malformed row is skipped and logged once, and every other row stays in force", async () => {
    const { client, clientId } = owner;
    const [bad, early] = ["malformed", "early"];
    const { publicJwk } = await newTestKey();
    await sql`insert into gold.signing_key (partner_id, thumbprint, jwk) values
      (${client}, ${bad}, '{"kty":"EC","crv":"P-256","x":"x","y":"y"}')`;
    await sql`insert into gold.signing_key (partner_id, thumbprint, jwk, not_before) values
      (${client}, ${early}, ${sql.json({ ...publicJwk } as never)}, '-infinity')`;
    const fingerprint = randomBytes(32).toString("hex");
    await sql`insert into gold.certificate (fingerprint, partner_id, serial, not_before, not_after) values
      (${fingerprint}, ${client}, '01', now(), 'infinity')`;
    const secrets = await sql`insert into gold.client_secret (partner_id, hash, retire_at)
      values (${client}, sha256(''), 'infinity'), (${client}, '\\x00', null) returning id`;
    await raise();
    await raise();
    assertEquals(await balances(service.partner), 200);
    await orderStatus(service.partner);
    // The owner's other key, certificate and secret still work.
    assertEquals(await balances(owner), 200);
    await orderStatus(owner);
    const expected = [
      `certificate ${fingerprint}`,
      ...secrets.map(({ id }) => `client_secret ${id}`),
      `signing_key ${early}`,
      `signing_key ${bad}`,
    ];
    assertEquals(skipped().sort(), expected.map((row) => [clientId, row]));
    const forged = { "X-Forwarded-Client-Cert": `Hash=${fingerprint}` };
    await expectProblem(service.send("/health", { method: "GET", headers: forged }), "certificate_unknown");
  });

  it("a malformed key that has retired does not stop other partners", async () => {
    await sql`update gold.signing_key set retire_at = now() where thumbprint = 'malformed'`;
    await raise();
    assertEquals(await balances(service.partner), 200);
  });

  it("a malformed token key is logged and not published, and tokens still work", async () => {
    await sql`insert into gold.token_key (kid, public_jwk, sealed, sealing_key, not_before)
      values ('broken', 'null', '\\x00', 'none', now() - interval '1 second')`;
    await raise();
    const fresh = await service.addPartner();
    assertEquals(await balances(fresh), 200);
    const published = await service.send("/.well-known/jwks.json", { method: "GET" });
    const { keys } = await published.json() as { keys: { kid: string }[] };
    assertEquals(keys.some(({ kid }) => kid === "broken"), false);
    assertEquals(skipped().at(-1), [undefined, "token_key broken"]);
  });

  it("a token key whose private key belongs to another key signs no token", async () => {
    const sealing = await createSealing(await readKeys(service.config.sealingKeySource));
    const [{ publicJwk, thumbprint }, other] = [await newTestKey(), await newTestKey()];
    const sealed = await sealing.seal(JSON.stringify(other.privateJwk));
    await sql`
      select gold.add_token_key(${thumbprint}, ${
      sql.json({ ...publicJwk } as never)
    }::jsonb, ${sealed}::bytea,
        ${sealing.currentKeyName}, clock_timestamp() - interval '1 second')`;
    await raise();
    assertEquals(await balances(await service.addPartner()), 200);
  });

  it("a service starts despite malformed rows, logs each, and counts them in a metric", async () => {
    const lines: string[] = [];
    const assembly = await assemble(
      service.config,
      createLog((line) => void lines.push(line), () => new Date()),
    );
    try {
      assertMatch(assembly.deps.metrics.text(), /^gold_malformed_rows 6$/m);
      assertEquals(lines.filter((line) => line.includes("malformed row skipped")).length, 6);
    } finally {
      await assembly.stop();
    }
  });
});
