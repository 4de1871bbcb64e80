import { randomBytes } from "node:crypto";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import type { TestPartner } from "../../../testing/partner.ts";
import { suiteService } from "../../../testing/service.ts";
import { recordUse } from "./record_use.ts";
import type { Use } from "./usage_recorder.ts";
import { until } from "../../../../../tools/testing/until.ts";

interface LastUses {
  readonly certificate: number | null;
  readonly clientSecret: number | null;
  readonly signingKey: number | null;
}

/** A little longer than the recorder's flush interval. */
const FLUSHED_MS = 2500;
const NEVER: LastUses = { certificate: null, clientSecret: null, signingKey: null };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("the last use of credentials", () => {
  const service = suiteService();
  before(() => service.books.addBar(1_000_000n));

  async function lastUses({ client }: TestPartner): Promise<LastUses> {
    const at = (value: Date | null) => value && value.getTime();
    const [row] = await service.books.sql<Record<keyof LastUses, Date | null>[]>`
      select
        (select last_used_at from gold.certificate where partner_id = ${client}) as certificate,
        (select last_used_at from gold.client_secret where partner_id = ${client}) as "clientSecret",
        (select last_used_at from gold.signing_key where partner_id = ${client}) as "signingKey"`;
    return {
      certificate: at(row!.certificate),
      clientSecret: at(row!.clientSecret),
      signingKey: at(row!.signingKey),
    };
  }
  /** Funds, quotes and orders, so that every credential of the partner is used. */
  async function order(partner: TestPartner): Promise<number> {
    await service.send("/sandbox/fund", { body: '{"amount_sar":1000}', partner });
    const quoted = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}', partner });
    const { quote_id } = await quoted.json() as { quote_id: string };
    return (await service.signed("/v1/orders", JSON.stringify({ quote_id }), { partner })).status;
  }
  const health = async (partner: TestPartner, headers: Record<string, string> = {}) =>
    (await service.send("/health", { method: "GET", partner, headers: { Authorization: null, ...headers } }))
      .status;

  /** Waits until the stored last uses satisfy `so`. A fixed pause would be too short on a busy machine. */
  async function written(partner: TestPartner, so: (uses: LastUses) => boolean): Promise<LastUses> {
    let uses = await lastUses(partner);
    await until(async () => so(uses = await lastUses(partner)), () => uses);
    return uses;
  }
  const all = (uses: LastUses) => Object.values(uses).every((atMs) => atMs !== null);

  it("is the request's time, written soon afterwards without a change of registry or account", async () => {
    const partner = await service.addPartner();
    const { sql } = service.books;
    // Shift the clock to separate the time of use from the time of writing. The 10 s allow for the error of
    // the service's estimate of the database's time.
    service.shiftClock(100_000);
    const beforeMs = service.now() - 10_000;
    assertEquals(await order(partner), 201);
    const afterMs = service.now() + 10_000;
    service.shiftClock(0);
    const state = () =>
      sql`select v.version::text, a.admission_version::text from gold.registry_version v, gold.account a where a.client_id = ${partner.client}`;
    const before = await state();
    for (const [name, atMs] of Object.entries(await written(partner, all))) {
      assert(atMs >= beforeMs && atMs <= afterMs, `${name}: ${atMs} is not in ${beforeMs}..${afterMs}`);
    }
    const [key] = await sql<{ last_used_at: Date | null }[]>`select last_used_at from gold.token_key`;
    assert(key!.last_used_at !== null);
    assertEquals([...await state()], [...before]);
  });

  it("is written in the background, so that an order succeeds even if this write fails", async () => {
    const partner = await service.addPartner();
    const { sql } = service.books;
    await sql`revoke execute on function gold.record_use from gold_api`;
    assertEquals(await order(partner), 201);
    await pause(FLUSHED_MS);
    assertEquals(await lastUses(partner), NEVER);
    assertEquals(await order(partner), 201);
    await sql`grant execute on function gold.record_use to gold_api`;
    assertEquals(await order(partner), 201);
    await written(partner, ({ certificate, signingKey }) => certificate !== null && signingKey !== null);
  });

  it("is written again after a minute, and not earlier", async () => {
    const partner = await service.addPartner();
    await health(partner);
    const { certificate: first } = await written(partner, ({ certificate }) => certificate !== null);
    service.shiftClock(30_000);
    await health(partner);
    await pause(FLUSHED_MS);
    assertEquals((await lastUses(partner)).certificate, first);
    service.shiftClock(90_000);
    await health(partner);
    service.shiftClock(0);
    const { certificate: second } = await written(partner, ({ certificate }) => certificate !== first);
    assert(second! - first! >= 60_000, `${second} after ${first}`);
  });

  it("is not written for a refused request", async () => {
    const [stray, impostor, victim] = [
      await service.addPartner(),
      await service.addPartner(),
      await service.addPartner(),
    ];
    const { sql } = service.books;
    const certificates = async () => (await sql`select count(*)::int as rows from gold.certificate`)[0]!.rows;
    const before = await certificates();
    for (let stranger = 0; stranger < 50; stranger++) {
      const hash = `Hash=${randomBytes(32).toString("hex")}`;
      assertEquals(await health(stray, { "X-Forwarded-Client-Cert": hash }), 403);
    }
    assertEquals(await health(stray, { "X-Client-Ip": "192.0.2.1" }), 403);
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: victim.clientId,
      client_secret: victim.clientSecret,
    }).toString();
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Authorization: "none" };
    const refused = [
      await service.send("/oauth/token", { body: form, headers, partner: impostor }),
      await service.signed("/v1/orders", "{}", { partner: impostor, key: victim.signingKey }),
    ];
    assertEquals(refused.map(({ status }) => status), [401, 401]);
    await pause(FLUSHED_MS);
    assertEquals(await certificates(), before);
    assertEquals([await lastUses(stray), await lastUses(victim)], [NEVER, NEVER]);
    assertEquals((await lastUses(impostor)).signingKey, null);
  });

  describe("in the database", () => {
    const atMs = Date.parse("2026-01-31T09:30:00.000Z");
    const use = ({ fingerprint, client }: TestPartner, ms: number): Use => ({
      kind: "certificate",
      partner: client,
      id: fingerprint,
      atMs: ms,
    });

    it("only moves forward, by at least a minute", async () => {
      const partner = await service.addPartner();
      const { api } = service.books;
      const steps = [[0, 0], [59_999, 0], [60_000, 60_000], [0, 60_000], [-3_600_000, 60_000]] as const;
      for (const [usedMs, expectedMs] of steps) {
        await recordUse(api, [use(partner, atMs + usedMs)]);
        assertEquals((await lastUses(partner)).certificate, atMs + expectedMs);
      }
    });

    it("distinguishes two partners that have the same signing key", async () => {
      const [one, other] = [await service.addPartner(), await service.addPartner()];
      const { sql, api } = service.books;
      const { thumbprint } = one.signingKey;
      await sql`update gold.signing_key set thumbprint = ${thumbprint} where partner_id = ${other.client}`;
      await recordUse(api, [{ kind: "signing_key", partner: other.client, id: thumbprint, atMs }]);
      assertEquals([(await lastUses(one)).signingKey, (await lastUses(other)).signingKey], [null, atMs]);
    });

    it("skips a credential that another transaction has locked, without waiting", async () => {
      const [held, free] = [await service.addPartner(), await service.addPartner()];
      const { sql, api } = service.books;
      const patience = sleep(60_000, "waits", { ref: false });
      await sql.begin(async (transaction) => {
        await transaction`select from gold.certificate where fingerprint = ${held.fingerprint} for update`;
        const recorded = recordUse(api, [use(held, atMs), use(free, atMs)]).then(() => "recorded");
        assertEquals(await Promise.race([recorded, patience]), "recorded");
        assertEquals((await lastUses(free)).certificate, atMs);
      });
      assertEquals((await lastUses(held)).certificate, null);
    });

    it("ignores unknown credentials", async () => {
      const kinds = ["certificate", "client_secret", "signing_key", "token_key"] as const;
      await recordUse(service.books.api, kinds.map((kind) => ({ kind, partner: 1, id: "none", atMs })));
    });
  });
});
