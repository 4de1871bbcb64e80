import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type TestPostgres, testPostgres } from "@gold-partner/local-postgres";
import { assertEquals } from "@std/assert";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import { after, before, describe, it } from "node:test";
import postgres, { type Sql } from "postgres";
import { newUuid } from "../booking/fixture.ts";
import { migrate } from "./migrate.ts";

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));
const FIRST = "0000_books";
const OLDER_CA = "-----BEGIN CERTIFICATE-----\nb2xk\nZXI=\n-----END CERTIFICATE-----\n";
const NEWER_CA = "-----BEGIN CERTIFICATE-----\nbmV3ZXI=\n-----END CERTIFICATE-----\n";
/** Columns whose values later versions store in a separate table, or no longer store. */
const MOVED = ["authority_certificates", "authority_key_source", "sealing_key_source"];
const AT = "2026-01-05T10:00:00.000Z";
const LATER = "2026-01-05T10:00:01.000Z";

describe("a database of the first version", () => {
  let server: TestPostgres;
  let url: string;
  let sql: Sql;
  const [funding, order] = [newUuid(), newUuid()];
  let head: string;
  before(async () => {
    server = await testPostgres();
    url = await server.createDatabase();
    sql = postgres(url, { max: 1, onnotice: () => {} });
    await migrateToFirst(sql);
    head = await fill();
  });
  after(async () => {
    await sql.end();
    await server.stop();
  });

  /**
   * Fills every table with at least one row, as the first version did: a sandbox funding and a buy, both
   * sealed, a bar, and three audit rows. Returns the head of the hash chain.
   */
  async function fill(): Promise<string> {
    await sql`
      insert into gold.deployment (environment, public_base_url, authority_certificates, authority_key_source, sealing_key_source)
      values ('sandbox', 'https://localhost:8443', ${
      OLDER_CA + NEWER_CA
    }, 'command:/newer', 'command:/sealing')`;
    await sql`insert into gold.registry_version (version) values (7)`;
    await sql`insert into gold.price (source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of)
      values ('fixed', 3200000, 3210000, 3190000, 60, 10, ${AT})`;
    await sql`insert into gold.partner (public_id, name, iban, rate_per_second, burst, maximum_grams, created_at)
      values ('sbx_00000000000000000001', 'Example', 'SA0380000000608010167519', 50, 200, 10000000, ${AT})`;
    await sql`insert into gold.allowed_ip values (1, '127.0.0.1/32')`;
    await sql`insert into gold.certificate (fingerprint, partner_id, serial, not_before, not_after) values (${
      "ab".repeat(32)
    }, 1, '01', ${AT}, '2030-01-01Z')`;
    await sql`insert into gold.client_secret (partner_id, hash) values (1, '\\x00')`;
    await sql`insert into gold.webhook_secret (partner_id, sealed, sealing_key) values (1, '\\x00', 'none')`;
    await sql`insert into gold.signing_key (thumbprint, partner_id, jwk) values ('thumb', 1, '{}')`;
    await sql`insert into gold.token_key (kid, public_jwk, sealed, sealing_key) values ('kid', '{}', '\\x00', 'none')`;
    await sql`insert into gold.account (bucket, client_id, event_sequence, last_posted_at, sar_available, gold)
      values (0, 0, 1, ${AT}, 0, 0), (1, 1, 2, ${LATER}, 67900, 10000)`;
    await sql`insert into gold.vault (stripe, free) values (0, 40000)`;
    await sql`insert into gold.bar (serial, refiner, vault_name, gross, fineness, fine, added_at, added_sequence)
      values ('B-1', 'R', 'V', 50006, 9999, 50000, ${AT}, 1)`;
    await sql`insert into gold.quote values (1, 1, 'buy', ${order}, 10000, 3210000, 32100, ${AT}, '2026-01-05T10:01:00Z')`;
    await sql`insert into gold.funding values (1, 1, ${funding}, 1, 100000, ${AT})`;
    await sql`insert into gold.orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after)
      values (1, 1, 'buy', ${order}, 2, 10000, 3210000, 32100, ${LATER}, 67900, 0, 10000)`;
    await sql`insert into gold.transfer values
      (0, 0, 1, 0, 1, 'bars', 'vault', 'XAU', 50000, 0, 0, 0, ${AT}),
      (1, 1, 1, 0, 1, 'bank', 'available', 'SAR', 100000, 100000, 0, 0, ${AT}),
      (1, 1, 1, 0, 2, 'available', 'house', 'SAR', 32100, 67900, 0, 0, ${LATER}),
      (1, 1, 2, 0, 2, 'vault', 'gold', 'XAU', 10000, 67900, 0, 10000, ${LATER})`;
    await sql`insert into gold.event values
      (1, 1, 1, ${funding}, ${funding}, ${AT}, 'funding.completed'), (1, 1, 2, ${order}, ${order}, ${LATER}, 'order.executed')`;
    await sql`insert into gold.nonce values (1, 1, ${newUuid()})`;
    await sql`insert into gold.idempotency_key values
      (1, 1, 201, 'k1', '\\x0a', ${newUuid()}, ${funding}, ${AT}, 'funding', '{}'),
      (1, 1, 201, 'k2', '\\x0a', ${newUuid()}, ${order}, ${AT}, 'order', '{}'),
      (1, 1, 201, 'k3', '\\x0a', ${newUuid()}, ${order}, ${AT}, 'quote', '{}'),
      (1, 1, 422, 'k4', '\\x0a', ${newUuid()}, null, ${AT}, 'refusal', '{}')`;
    await sql`insert into gold.audit (login, action, subject, detail) values
      ('a', 'deployment.settle', 'x', '{}'), ('a', 'partner.create', 'sbx_00000000000000000001', '{"ips":["127.0.0.1/32"]}'), ('b', 'vault.add', 'B-1', '{}')`;
    const lines = [
      `1|1|1|2|${funding}|${Date.parse(AT)}|1|1|2|1|100000|100000|0|0`,
      `1|1|2|1|${order}|${
        Date.parse(LATER)
      }|1|2|4|1|32100|67900|0|0|2|6|7|2|10000|67900|0|10000|1|10000|3210000|32100`,
    ];
    let link = "00".repeat(32);
    for (const [n, line] of lines.entries()) {
      link = createHash("sha256").update(link, "hex").update(line, "utf8").digest("hex");
      await sql`insert into gold.chain_link values (1, 1, ${n + 1}, decode(${link}, 'hex'))`;
    }
    await sql`insert into gold.chain_tail values (1, 1, 2, decode(${link}, 'hex'))`;
    return link;
  }

  const tables = async (): Promise<string[]> =>
    (await sql`select relname from pg_class where relnamespace = 'gold'::regnamespace and relkind = 'r' order by 1`)
      .map(({ relname }) => relname);
  /** Every row of the first version's tables, with the columns of that version. */
  async function rowsOf(names: readonly string[], columns: Map<string, string>): Promise<string[]> {
    const lines: string[] = [];
    for (const name of names) {
      const list = columns.get(name) ?? (await sql`
        select string_agg(quote_ident(attname), ', ' order by attnum) as list from pg_attribute
        where attrelid = ${`gold.${name}`}::regclass and attnum > 0 and not attisdropped and attname <> all(${MOVED})`)[
        0
      ]!.list;
      columns.set(name, list);
      const rows = await sql.unsafe(
        `select row_to_json(t)::text as line from (select ${list} from gold.${name}) t order by 1`,
      );
      lines.push(...rows.map(({ line }) => `${name} ${line}`));
    }
    return lines;
  }

  it("keeps every row of every table, and verifies without findings after the upgrade", async () => {
    const names = (await tables()).filter((name) => name !== "problem");
    const columns = new Map<string, string>();
    const before = await rowsOf(names, columns);
    assertEquals(names.filter((name) => !before.some((line) => line.startsWith(`${name} `))), []);
    await migrate(url);
    const [state] = await sql`
      select string_agg(c.sequence || ' ' || e.type || ' ' || coalesce(c.credential, c.iban), ', ' order by c.sequence) as posted,
        string_agg(c.login, '') as logins
      from gold.partner_change c join gold.event e using (bucket, client_id, sequence)`;
    assertEquals({ ...state }, {
      posted: "3 settlement.changed SA0380000000608010167519, " +
        `4 credential.added ${
          "ab".repeat(32)
        }, 5 credential.added 1, 6 credential.added thumb, 7 credential.added 1`,
      logins: null,
    });
    const lines = await rowsOf(names, columns);
    const changed = before.filter((line) => !lines.includes(line));
    assertEquals(changed.map((line) => line.split('"last_posted_at"')[0]), [
      'account {"bucket":1,"client_id":1,"admission_version":1,"event_sequence":2,',
    ]);
    assertEquals(
      lines.length,
      before.length + 6,
      "five events and the audit row of the deployment's id are new",
    );
    const found =
      await sql`select * from gold.verify_ledger() union all select * from gold.verify_chain() union all select * from gold.verify_audit()`;
    assertEquals(found.map((row) => ({ ...row })), []);
    await sql`select gold.seal_chain(1)`;
    const [sealed] =
      await sql`select encode(hash, 'hex') as head from gold.chain_link where client_id = 1 and sequence = 2`;
    assertEquals(sealed!.head, head);
    const [links] = await sql`select count(*)::int as n, max(id)::int as last from gold.audit_link`;
    assertEquals({ ...links }, { n: 4, last: 4 });
  });

  it("starts the history with the current price and bars, and older records refer to neither", async () => {
    await migrate(url);
    const [list] = await sql`select id, bars, fine from gold.bar_list`;
    assertEquals({ ...list }, { id: 1, bars: 1, fine: "50000" });
    const [price] =
      await sql`select h.id, h.buy, h.as_of = p.as_of as same from gold.price_history h, gold.price p`;
    assertEquals({ ...price }, { id: "1", buy: "3210000", same: true });
    const [record] = await sql`
      select o.list_id, q.price_id, gold.order_text(o) as body from gold.orders o join gold.quote q using (bucket, client_id, id)`;
    assertEquals([record!.list_id, record!.price_id], [null, null]);
    assertEquals(Object.keys(JSON.parse(record!.body)).at(-1), "executed_at");
    const [{ line } = {}] = await sql`select gold.list_postings(1, 1, 2) as line`;
    assertEquals("reserves_list_id" in line, false);
  });

  it("keeps every trusted authority under its fingerprint, and no place of a key", async () => {
    await migrate(url);
    const rows =
      await sql`select fingerprint, certificate, key_source, retired_at, revocation_list from gold.authority order by created_at`;
    const kept = { retired_at: null, revocation_list: null };
    assertEquals(rows.map((row) => ({ ...row })), [
      { fingerprint: sha256("older"), certificate: OLDER_CA, key_source: null, ...kept },
      { fingerprint: sha256("newer"), certificate: NEWER_CA, key_source: null, ...kept },
    ]);
    const [places] = await sql`select sealing_key_source, pepper_source from gold.deployment`;
    assertEquals({ ...places }, { sealing_key_source: null, pepper_source: null });
  });

  it("adds a new column of gold.deployment to its view", async () => {
    await migrate(url);
    await sql`alter table gold.deployment add column further text`;
    await migrate(url);
    const [shown] = await sql`select environment, further from gold.deployment_overview`;
    assertEquals({ ...shown }, { environment: "sandbox", further: null });
    await sql`drop view gold.deployment_overview`;
    await sql`alter table gold.deployment drop column further`;
    await migrate(url);
  });

  it("opens the market, has no pending IBAN, and links new audit rows after the upgrade", async () => {
    await migrate(url);
    const [row] = await sql`
      select p.always_open, p.url, d.flood_per_second, d.payout_iban, r.pending_iban, r.iban_changed_at, gold.market_open(now()) as open
      from gold.price p, gold.deployment d, gold.partner r`;
    assertEquals({ ...row }, {
      always_open: true,
      url: null,
      flood_per_second: 5_000,
      payout_iban: null,
      pending_iban: null,
      iban_changed_at: null,
      open: true,
    });
    const [outcome] = await sql`
      select * from gold.book_withdrawal(false, 1, 1, ${newUuid()}::uuid, 'k5', '\\x0a', 100, 1000, null, ${newUuid()}::uuid, ${newUuid()}::uuid)`;
    assertEquals([outcome!.outcome, outcome!.status], ["answered", 201]);
    await sql`select gold.suspend_partner('sbx_00000000000000000001')`;
    const found =
      await sql`select rule from gold.verify_ledger() union all select rule from gold.verify_audit()`;
    assertEquals(found.length, 0);
  });
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Applies only the first migration of the folder, as the first version did. */
async function migrateToFirst(sql: Sql): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gold-migrations-"));
  try {
    await cp(MIGRATIONS, folder, { recursive: true });
    const path = join(folder, "meta", "_journal.json");
    const journal = JSON.parse(await readFile(path, "utf8")) as { entries: { tag: string }[] };
    journal.entries = journal.entries.filter(({ tag }) => tag === FIRST);
    await writeFile(path, JSON.stringify(journal));
    await applyMigrations(drizzle(sql), { migrationsFolder: folder, migrationsSchema: "gold_migrations" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
