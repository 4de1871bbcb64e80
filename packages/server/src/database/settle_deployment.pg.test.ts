import { suiteBooks } from "../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { rolledBack } from "../../testing/rows.ts";

const URL_NOW = "https://localhost:8443";
const URL_NEXT = "https://sandbox.example";

describe("settle_deployment", () => {
  const books = suiteBooks();

  const settle = (
    environment: string,
    url: string,
    { loopback = true, ports = [443, 8443], keptDays = 90 } = {},
  ) =>
    books.sql`
      select gold.settle_deployment(${environment}, ${url}, ${loopback}, null, null, 20000, ${`{${ports}}`}::text::int[], ${keptDays}::int)`;
  const state = async () => {
    const [row] = await books.sql`
      select environment, public_base_url, loopback_receivers, (select version::int from gold.registry_version) as version,
        (select count(*)::int from gold.audit where action = 'deployment.settle') as notes from gold.deployment`;
    return { ...row };
  };

  it("changes nothing when it is called again with the same values", async () => {
    const before = await state();
    await settle("sandbox", URL_NOW);
    assertEquals(await state(), before);
  });

  it("keeps the bank account that withdrawals are paid from, and writes it to the audit", async () => {
    await books.sql`select gold.set_payout_account('Gold House', 'SA0380000000608010167519', 'RIBLSARI')`;
    const [row] = await books.sql`
      select payout_name, payout_iban, payout_bic, subject, detail - 'mode' as detail from gold.deployment, gold.audit where action = 'deployment.payout'`;
    assertEquals({ ...row }, {
      payout_name: "Gold House",
      payout_iban: "SA0380000000608010167519",
      payout_bic: "RIBLSARI",
      subject: "SA0380000000608010167519",
      detail: { before: { name: null, iban: null, bic: null }, name: "Gold House", bic: "RIBLSARI" },
    });
    await settle("sandbox", URL_NOW);
    assertEquals((await books.sql`select from gold.deployment where payout_bic = 'RIBLSARI'`).length, 1);
    const refusal = await books.sql.begin(async (sql) => {
      await sql`delete from gold.deployment`;
      await sql`select gold.set_payout_account('a', 'b', 'c')`;
    }).then(() => "done", ({ code, message }) => `${code} ${message}`);
    assertEquals(
      refusal,
      "GR409 the database has no deployment yet: run `gold db migrate` with --env, --base-url, --pepper and --sealing-key",
    );
  });

  it("gives a new production deployment limits and a circuit breaker, and a new sandbox neither", async () => {
    const cases = [
      ["production", ["100000000", 20, "1000000000", 500, 60, 200, 500]],
      ["sandbox", [null, null, null, null, null, null, null]],
    ] as const;
    for (const [environment, expected] of cases) {
      const found = await rolledBack(books.sql, async (sql) => {
        await sql`delete from gold.deployment`;
        await sql`delete from gold.price`;
        await sql`select gold.settle_deployment(${environment}, ${URL_NOW}, false, null, null, 20000, '{443}', 90)`;
        // In production, a price is set by a proposal only.
        await sql`
          insert into gold.proposal (id, kind, content, proposed_at, expires_at, state) values (gen_random_uuid(), 'price.set',
            '{"source": "fixed", "mid": "3200000", "spread_basis_points": 60, "stale_after_seconds": 10}', now(), now(), 'applying')`;
        await sql`select gold.set_price('fixed', 3200000, 3210000, 3190000, 60, 10, null)`;
        const [row] = await sql`
          select partner_net_grams::text, partner_daily_withdrawals, partner_daily_withdrawn::text, halt_basis_points, halt_seconds,
            band_basis_points, band_hour_basis_points
          from gold.deployment, gold.price`;
        return Object.values(row!);
      });
      assertEquals(found, [...expected]);
    }
  });

  it("refuses to change the environment of a database", async () => {
    const before = await state();
    const refusal = await settle("production", URL_NOW).then(
      () => "settled",
      ({ code, message }) => `${code} ${message}`,
    );
    assertEquals(
      refusal,
      "GR409 this is a sandbox database; got --env production: check the database URL and --env",
    );
    assertEquals(await state(), before);
  });

  it("allows receivers on loopback addresses only in the sandbox", async () => {
    const refusal = await books.sql.begin(async (sql) => {
      await sql`delete from gold.deployment`;
      await sql`select gold.settle_deployment('production', ${URL_NOW}, true, null, null, 20000, '{443}', 90)`;
    }).then(() => "settled", ({ code, message }) => `${code} ${message}`);
    assertEquals(
      refusal,
      "GR409 receivers on loopback addresses are allowed only in the sandbox: leave out --loopback-receivers",
    );
  });

  it("writes the replaced values to the audit, and raises the registry's version", async () => {
    const { version, notes } = await state();
    await settle("sandbox", URL_NEXT, { loopback: false });
    assertEquals(await state(), {
      environment: "sandbox",
      public_base_url: URL_NEXT,
      loopback_receivers: false,
      version: version + 1,
      notes: notes + 1,
    });
    const [note] = await books.sql`
      select subject, detail->'before'->>'public_base_url' as before from gold.audit where action = 'deployment.settle' order by id desc limit 1`;
    assertEquals({ ...note }, { subject: URL_NEXT, before: URL_NOW });
  });

  it("stores webhook ports and retention of attempts, and audits a change of either one", async () => {
    const { notes } = await state();
    const terms = async () => {
      const [row] = await books.sql`
        select d.webhook_ports, d.attempts_kept_days, n.detail->'before'->'webhook_ports' as ports_before,
          n.detail->'before'->'attempts_kept_days' as kept_before
        from gold.deployment d, gold.audit n where n.action = 'deployment.settle' order by n.id desc limit 1`;
      return Object.values(row!);
    };
    await settle("sandbox", URL_NEXT, { loopback: false, ports: [8443, 10443] });
    assertEquals(await terms(), [[8443, 10443], 90, [443, 8443], 90]);
    await settle("sandbox", URL_NEXT, { loopback: false, ports: [8443, 10443], keptDays: 30 });
    assertEquals(await terms(), [[8443, 10443], 30, [8443, 10443], 90]);
    assertEquals((await state()).notes, notes + 2);
  });
});
