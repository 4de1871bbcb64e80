import { limitClient } from "../booking/allowance/allowance_fixture.ts";
import { moveDayEndAway } from "../../testing/close_today.ts";
import { addTestCertificate } from "../../testing/partner.ts";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";
import {
  accountReply,
  balancesReply,
  credentialsReply,
  limitsReply,
  priceHistoryReply,
  pricesReply,
  reservesListReply,
  reservesReply,
} from "@gold-partner/protocol";
import { randomBytes } from "node:crypto";
import { assert, assertEquals } from "@std/assert";
import { before, describe, it } from "node:test";
import { type Account, openAccount } from "./fixture.ts";

describe("reads of prices, reserves, limits, credentials and balances", () => {
  const service = suiteService();
  let account: Account;
  let dayEndsAt: string;
  before(async () => {
    const ahead = await moveDayEndAway(service.books.sql);
    dayEndsAt = `${`${(24 - ahead) % 24}`.padStart(2, "0")}:00:00.000Z`;
    account = await openAccount(service);
  });

  const setHours = (alwaysOpen: boolean, sessions: readonly object[]) =>
    service.books.sql`select gold.set_market_hours(${alwaysOpen}, ${
      service.books.sql.json(sessions as never)
    }::jsonb)`;

  it("return the bars in the vault, the gold owed to partners and the coverage as reserves", async () => {
    const { sql } = service.books;
    const anHourLater = () => sql`update gold.published_reserves set as_of = as_of - interval '1 hour'`;
    const empty = await account.read("/v1/reserves", reservesReply);
    const { as_of: _asOf, ...nothing } = empty;
    assertEquals(nothing, {
      bars: [],
      fine_grams: 0,
      owed_grams: 0,
      coverage: null,
      reserves_list_id: "lst_1",
    });
    await sql`select gold.add_bar('A "1"', 'Réfineur', 'Riyadh, 2', 100010001, 9999)`;
    await sql`select gold.add_bar('B', 'Refiner', 'Jeddah', 20000, 9950)`;
    await account.fund(10_000);
    await account.trade("buy", 0.6);
    assertEquals(await account.read("/v1/reserves", reservesReply), empty);
    await anHourLater();
    const two = await account.read("/v1/reserves", reservesReply);
    assertEquals(two.bars, [
      {
        serial: 'A "1"',
        refiner: "Réfineur",
        vault: "Riyadh, 2",
        gross_grams: 10001.0001,
        fineness: 999.9,
        fine_grams: 9999.9999,
      },
      { serial: "B", refiner: "Refiner", vault: "Jeddah", gross_grams: 2, fineness: 995, fine_grams: 1.99 },
    ]);
    // 10001.9899 / 0.6 = 16669.98316…, rounded down.
    assertEquals([two.fine_grams, two.owed_grams, two.coverage], [10001.9899, 0.6, 16669.9831]);
    await sql`select gold.remove_bar('B')`;
    await anHourLater();
    const one = await account.read("/v1/reserves", reservesReply);
    assertEquals([one.bars.length, one.fine_grams, one.coverage], [1, 9999.9999, 16666.6665]);
    assertEquals([two.reserves_list_id, one.reserves_list_id], ["lst_3", "lst_4"]);
    const list = reservesListReply.parse(await (await account.get("/v1/reserves/lists/lst_3")).json());
    assertEquals([list.bars, list.fine_grams], [two.bars, two.fine_grams]);
    const { gold } = await account.read("/v1/balances", balancesReply);
    assertEquals(gold.reserves, {
      reserves_list_id: "lst_4",
      fine_grams: 9999.9999,
      // 0.6 / 9999.9999 = 0.00006000000060…, rounded down.
      share: "0.00006",
    });
    const before = await account.read(`/v1/balances?at=2020-01-01T00:00:00.000Z`, balancesReply);
    assertEquals(before.gold, { grams: 0 });
  });

  it("return a list of bars for a cache to keep, and 404 for any other id", async () => {
    const reply = await account.get("/v1/reserves/lists/lst_1");
    assertEquals(reply.headers.get("Cache-Control"), "private, max-age=31536000, immutable");
    const { bars, previous_sha256 } = reservesListReply.parse(await reply.json());
    assertEquals([bars, previous_sha256], [[], "0".repeat(64)]);
    const tag = reply.headers.get("ETag")!;
    const again = await account.get("/v1/reserves/lists/lst_1", { "If-None-Match": tag });
    assertEquals([again.status, await again.text()], [304, ""]);
    for (const id of ["lst_99", "lst_0", "lst_01", "lst_9999999999", "1"]) {
      await expectProblem(account.get(`/v1/reserves/lists/${id}`), "not_found");
    }
  });

  it("return the partner's limits on open quotes and daily records, and their use", async () => {
    const { partner: { client } } = account;
    await limitClient(service.books.sql, client, { open_quotes: 3, open_grams: 20_000, daily_records: 10 });
    await service.books.quote(client, "buy", 10_000n);
    const limited = await account.read("/v1/limits", limitsReply);
    assertEquals(limited.gold_grams.maximum, 2);
    assertEquals(limited.open_quotes, {
      maximum_quotes: 3,
      quotes: 1,
      maximum_gold_grams: 2,
      gold_grams: 1,
    });
    const { resets_at, ...records } = limited.daily_records!;
    assertEquals(records, { maximum_records: 10, records: 1 });
    assertEquals(resets_at.slice(11), dayEndsAt);
    await limitClient(service.books.sql, client, {
      open_quotes: null,
      open_grams: null,
      daily_records: null,
    });
  });

  it("return the limits of the day and what is left of them, and of the exposure only whether a side is open", async () => {
    const { partner: { client } } = account;
    const { sql } = service.books;
    // The gold that the test's partners were given counts as bought today, and the quote of the last test is
    // open.
    const [held] = await sql`
      select sum(gold)::int as all, (sum(gold) filter (where client_id = ${client}))::int as own from gold.account`;
    await limitClient(sql, client, { net_grams: held!.own + 60_000, daily_withdrawals: 3 });
    await service.books.quote(client, "buy", 20_000n);
    await sql`select gold.set_exposure(${held!.all + 30_000}::bigint)`;
    const limits = await account.read("/v1/limits", limitsReply);
    const { resets_at, ...net } = limits.net_position!;
    const own = held!.own / 10_000;
    assertEquals(net, {
      maximum_gold_grams: own + 6,
      buy_gold_grams: 3,
      sell_gold_grams: 2 * own + 6,
    });
    assertEquals(resets_at.slice(11), dayEndsAt);
    assertEquals(limits.daily_withdrawals, {
      maximum_withdrawals: 3,
      withdrawals: 0,
      maximum_amount_sar: null,
      amount_sar: 0,
      resets_at,
    });
    assertEquals(limits.exposure, { buy: false, sell: true });
    await sql`update gold.price set halted_at = '2026-01-31T10:00:00Z'`;
    const { market_hours: { halted_at } } = await account.read("/v1/limits", limitsReply);
    assertEquals(halted_at, "2026-01-31T10:00:00.000Z");
    await sql`update gold.price set halted_at = null`;
    await sql`select gold.set_exposure(null)`;
    await limitClient(sql, client, { net_grams: null, daily_withdrawals: null });
  });

  it("return the partner's own limits and the market hours", async () => {
    const { partner: { client } } = account;
    const limits = await account.read("/v1/limits", limitsReply);
    const { buy_price, sell_price } = await account.read("/v1/prices", pricesReply);
    assertEquals(limits, {
      gold_grams: { step: 0.0001, minimum: 0.0001, maximum: 1000 },
      amount_sar: { step: 0.01, minimum: 0.01, maximum: 10_000_000_000 },
      smallest_trade: {
        buy: { gold_grams: 0.0001, amount_sar: Math.ceil(buy_price / 100) / 100 },
        sell: { gold_grams: 0.0001, amount_sar: Math.floor(sell_price / 100) / 100 },
      },
      quote_ttl_seconds: 60,
      streams: { maximum: 50 },
      rate_limit: { requests_per_second: 2000, burst: 2000 },
      open_quotes: null,
      daily_records: null,
      net_position: null,
      daily_withdrawals: null,
      exposure: null,
      market_hours: { always_open: true, time_zone: "Asia/Riyadh", sessions: [], halted_at: null },
    });
    await service.books.sql`
      update gold.partner set maximum_grams = 25000, rate_per_second = 77, burst = 99 where id = ${client}`;
    await service.books.sql`select gold.registry_changed()`;
    await service.refresh();
    await setHours(false, [
      { day: 4, opens: "16:00", closes: "24:00" },
      { day: 0, opens: "09:30", closes: "12:00" },
      { day: 0, opens: "13:00", closes: "21:15" },
    ]);
    const own = await account.read("/v1/limits", limitsReply);
    assertEquals([own.gold_grams.maximum, own.rate_limit], [2.5, { requests_per_second: 77, burst: 99 }]);
    assertEquals(own.market_hours, {
      always_open: false,
      time_zone: "Asia/Riyadh",
      sessions: [
        { day: "sunday", opens: "09:30", closes: "12:00" },
        { day: "sunday", opens: "13:00", closes: "21:15" },
        { day: "thursday", opens: "16:00", closes: "24:00" },
      ],
      halted_at: null,
    });
    await setHours(true, []);
  });

  it("return the prices of the last 24 hours, minute by minute, and what came since", async () => {
    const { sql } = service.books;
    const read = async (query = "") =>
      (await account.read(`/v1/prices/history${query}`, priceHistoryReply)).bars;
    const move = (change: string) =>
      sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx.unsafe(`update gold.price_history set stored_at = ${change}`);
      });
    // Minutes before the last 24 hours are not shown.
    await move("stored_at - interval '2 days'");
    for (const pips of [3_300_000n, 3_500_000n, 3_100_000n]) await service.books.setPrice(pips, pips - 1n);
    await move(
      "date_trunc('minute', stored_at) - interval '3 minutes' where stored_at > now() - interval '1 day'",
    );
    const [bar, ...others] = await read();
    assertEquals([bar!.buy_price, others], [{ first: 330, highest: 350, lowest: 310, last: 310 }, []]);
    assertEquals(bar!.sell_price.lowest, 309.9999);
    await service.books.setPrice(3_210_000n, 3_190_000n);
    const later = await read();
    assertEquals(later.map(({ buy_price }) => buy_price.last), [310, 321]);
    assertEquals(await read(`?after=${bar!.begins_at}`), later.slice(1));
    await expectProblem(account.get("/v1/prices/history?after=x"), "invalid_request");
    await expectProblem(account.get("/v1/prices/history?since=2026-01-01"), "invalid_request");
  });

  it("return the prices together with the state of the market, open or closed", async () => {
    const market = async () => (await account.read("/v1/prices", pricesReply)).market;
    assertEquals(await market(), "open");
    await setHours(false, []);
    assertEquals(await market(), "closed");
    await setHours(false, [0, 1, 2, 3, 4, 5, 6].map((day) => ({ day, opens: "00:00", closes: "24:00" })));
    assertEquals(await market(), "open");
    await setHours(true, []);
  });

  it("return price_unavailable if no price was ever set", async () => {
    const { sql } = service.books;
    await sql`delete from gold.price`;
    try {
      await expectProblem(account.get("/v1/prices"), "price_unavailable");
    } finally {
      await sql`select gold.set_price('fixed', 3200000, 3210000, 3190000, 60, 10, null)`;
    }
    assertEquals((await account.read("/v1/prices", pricesReply)).buy_price, 321);
  });

  it("return what is registered for the partner, without its whole IBAN and without a secret", async () => {
    const { partner: { client } } = account;
    const { sql } = service.books;
    const { status, text } = await account.get("/v1/account").then(async (reply) => ({
      status: reply.status,
      text: await reply.text(),
    }));
    const own = accountReply.parse(JSON.parse(text));
    assertEquals([status, own], [200, JSON.parse(text)]);
    const [row] = await sql`select public_id, name, iban from gold.partner where id = ${client}`;
    assertEquals([own.client_id, own.name, own.status], [row!.public_id, row!.name, "active"]);
    assertEquals([text.includes(row!.iban), text.includes(own.settlement.iban_masked)], [false, true]);
    // The date of the last use may be written between the two reads.
    const unused = (credentials: object) =>
      JSON.stringify(credentials, (name, value) => name === "last_used_at" ? undefined : value);
    assertEquals(unused(own.credentials), unused(await account.read("/v1/credentials", credentialsReply)));
    assertEquals(own.limits.rate_limit, (await account.read("/v1/limits", limitsReply)).rate_limit);
    await sql`update gold.receiver set url = 'https://bank.example/hook' where id = ${client}`;
    await sql`
      insert into gold.endpoint (bucket, client_id, failures, disabled_at) values (${client} % 64, ${client}, 3, now())
      on conflict (bucket, client_id) do update set failures = 3, disabled_at = now()`;
    const [endpoint] = (await account.read("/v1/account", accountReply)).webhook_endpoints;
    assertEquals([endpoint!.url, endpoint!.status, endpoint!.failures], [
      "https://bank.example/hook",
      "disabled",
      3,
    ]);
    await sql`update gold.endpoint set failures = 0, disabled_at = null where client_id = ${client}`;
  });

  it("return the names and dates of the partner's own credentials, but no secret and no hash", async () => {
    const { partner } = account;
    const { sql } = service.books;
    const second = randomBytes(32).toString("hex");
    await addTestCertificate(sql, partner.clientId, second, { beginsSeconds: -30, endsSeconds: 86_400 });
    await sql`select gold.revoke_certificate(${second})`;
    await sql`update gold.client_secret set retire_at = now() + interval '1 day', last_used_at = now() where partner_id = ${partner.client}`;
    const reply = await account.get("/v1/credentials");
    const text = await reply.text();
    const credentials = credentialsReply.parse(JSON.parse(text));
    assertEquals(credentials, JSON.parse(text));
    const [active, revoked] = credentials.certificates;
    assertEquals([active!.sha256, active!.revoked_at, active!.retire_at], [partner.fingerprint, null, null]);
    assertEquals(revoked!.sha256, second);
    assert(revoked!.revoked_at !== null && revoked!.not_before < revoked!.expires_at);
    const { thumbprint } = partner.signingKey;
    assertEquals(credentials.signing_keys.map((key) => [key.kid, key.thumbprint, key.retire_at]), [[
      thumbprint,
      thumbprint,
      null,
    ]]);
    const [secret] = credentials.client_secrets;
    assert(secret!.retire_at! > secret!.last_used_at!);
    assertEquals(credentials.webhook_secrets.length, 1);
    const [row] = await sql`
      select encode(s.hash, 'hex') as hash, encode(s.hash, 'base64') as hash64, encode(w.sealed, 'hex') as sealed, encode(w.sealed, 'base64') as sealed64
      from gold.client_secret s join gold.webhook_secret w on w.partner_id = s.partner_id where s.partner_id = ${partner.client}`;
    const hidden = [
      partner.clientSecret,
      partner.webhookSecret,
      ...Object.values(row!) as string[],
      `${partner.signingKey.publicJwk.x}`,
    ];
    for (const value of hidden) assertEquals(text.includes(value), false, value);
  });

  it("return no other partner's credentials", async () => {
    const stranger = await openAccount(service);
    const { certificates } = await stranger.read("/v1/credentials", credentialsReply);
    assertEquals(certificates.map(({ sha256 }) => sha256), [stranger.partner.fingerprint]);
  });

  it("return current and past balances, and reject a future instant", async () => {
    const holder = await openAccount(service);
    const before = new Date(service.now() - 60_000).toISOString();
    await holder.fund(50);
    const now = await holder.read("/v1/balances", balancesReply);
    assertEquals([now.sar, now.gold.grams], [{ available: 50, held: 0 }, 0]);
    await holder.withdraw(20);
    assertEquals(await holder.read(`/v1/balances?at=${now.as_of}`, balancesReply), now);
    for (const at of [before, "1970-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z"]) {
      const { sar, gold, as_of } = await holder.read(`/v1/balances?at=${at}`, balancesReply);
      // The first list of bars may be older than `before`.
      assertEquals([sar, gold.grams, as_of], [{ available: 0, held: 0 }, 0, at]);
    }
    const riyadh = new Date(Date.parse(now.as_of) + 3 * 3_600_000).toISOString().replace("Z", "999%2B03:00");
    assertEquals(await holder.read(`/v1/balances?at=${riyadh}`, balancesReply), now);
    const { as_of: midnight } = await holder.read("/v1/balances?at=2026-01-31", balancesReply);
    assertEquals(midnight, "2026-01-30T21:00:00.000Z");
    for (const ahead of [60_000, 1e9]) {
      const at = new Date(service.now() + ahead).toISOString();
      const { errors } = await expectProblem(holder.get(`/v1/balances?at=${at}`), "invalid_request");
      assertEquals(errors?.map((error) => "name" in error && error.name), ["at"]);
    }
    for (const at of ["9999-12-31T23:59:59.999Z", "now", "2026-02-30", "1e12", ""]) {
      await expectProblem(holder.get(`/v1/balances?at=${at}`), "invalid_request");
    }
  });

  it("reject any query parameter, and require an access token", async () => {
    for (const path of ["prices", "reserves", "limits", "credentials"]) {
      const refused = await account.get(`/v1/${path}?x=1`);
      assertEquals(refused.headers.get("Cache-Control"), "no-store");
      await expectProblem(refused, "invalid_request");
    }
    for (const path of ["prices", "reserves", "limits", "credentials", "balances", "statement"]) {
      await expectProblem(account.get(`/v1/${path}`, { Authorization: null }), "token_missing");
    }
  });
});
