import {
  accountReply,
  eventsReply,
  fundingReply,
  quoteReply,
  simulatedEventReply,
  type SimulationsReply,
  simulationsReply,
  withdrawalReply,
} from "@gold-partner/protocol";
import { randomUUID } from "node:crypto";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { before, describe, it } from "node:test";
import { until } from "../../../../tools/testing/until.ts";
import { suiteOperator } from "../booking/operator_fixture.ts";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService, testService } from "../../testing/service.ts";
import { openSimulator, type Simulator } from "../../testing/simulator.ts";
import { columnOf } from "../../testing/rows.ts";
import { itLeavesNoDefectsInAudit } from "../../testing/books.ts";

const NOTHING = { market: null, prices: null, failure: null, webhooks: null };

describe("POST /sandbox/simulate", () => {
  const service = suiteService();
  let bank: Simulator;
  /** A partner that simulates nothing. */
  let bystander: Simulator;
  const operator = suiteOperator(() => service.books);
  before(async () => {
    await service.books.addBar(1_000_000_000n);
    bank = await openSimulator(service);
    bystander = await openSimulator(service);
  });

  const json = async (reply: Response) => await reply.json() as Record<string, unknown>;
  const simulations = async (simulator: Simulator): Promise<SimulationsReply> =>
    simulationsReply.parse(await json(await simulator.get("/sandbox/simulations")));
  const prices = async (simulator: Simulator) => await json(await simulator.get("/v1/prices"));
  const stepsOf = async (withdrawal: string) => {
    const rows = await service.books.sql`
      select status, login from gold.withdrawal_step where withdrawal_id = ${
      withdrawal.slice(3)
    }::uuid order by sequence`;
    return rows.slice(1).map(({ status, login }) => `${status} by ${login}`);
  };
  const auditOf = (action: string, subject: string) =>
    columnOf(service.books.sql`
      select login from gold.audit where action = ${action} and detail::text like ${`%${subject}%`}`);
  const balance = async (simulator: Simulator) =>
    ((await json(await simulator.get("/v1/balances"))) as { sar: { available: number; held: number } }).sar;

  describe("withdrawal", () => {
    const APPROVED = "approved by gold_simulation_maker";
    const SUBMITTED = "submitted by gold_simulation_checker";
    const OUTCOMES = {
      approved: [APPROVED],
      submitted: [APPROVED, SUBMITTED],
      paid: [APPROVED, SUBMITTED, "paid by gold_simulation_checker"],
      rejected: ["rejected by gold_simulation_maker"],
      returned: [APPROVED, SUBMITTED, "returned by gold_simulation_checker"],
    };
    for (const [outcome, steps] of Object.entries(OUTCOMES)) {
      it(`becomes ${outcome} through all steps before it, and two logins take the steps`, async () => {
        const before = await balance(bank);
        const withdrawal_id = await bank.withdraw(10);
        const made = withdrawalReply.parse(await bank.arm("withdrawal", { withdrawal_id, outcome }));
        assertEquals(made.status, outcome);
        assertEquals(await json(await bank.get(`/v1/withdrawals/${withdrawal_id}`)), made);
        assertEquals(await stepsOf(withdrawal_id), steps);
        const { available, held } = await balance(bank);
        const isHeld = outcome === "approved" || outcome === "submitted";
        const isBack = outcome === "rejected" || outcome === "returned";
        assertEquals([available, held], [
          before.available - (isBack ? 0 : 10),
          before.held + (isHeld ? 10 : 0),
        ]);
        assertEquals(await auditOf(`withdrawal.${outcome}`, withdrawal_id), [
          steps.at(-1)!.split(" ").at(-1)!,
        ]);
        const again = await bank.arm("withdrawal", { withdrawal_id, outcome });
        assertEquals([again, await stepsOf(withdrawal_id)], [made, steps]);
      });
    }

    it("can be paid after the operator has approved it, and can then be returned", async () => {
      const withdrawal_id = await bank.withdraw();
      assertEquals(await operator.approveWithdrawal(withdrawal_id.slice(3)), "done");
      for (const outcome of ["paid", "returned"]) {
        assertEquals((await bank.arm("withdrawal", { withdrawal_id, outcome })).status, outcome);
      }
    });

    it("shows the bank's reference and the day from the submission on, and in earlier events never", async () => {
      const withdrawal_id = await bank.withdraw();
      const pending = await json(await bank.get(`/v1/withdrawals/${withdrawal_id}`));
      assertEquals([pending.bank_reference, pending.expected_on], [null, null]);
      const { bank_reference, expected_on } = await bank.arm("withdrawal", {
        withdrawal_id,
        outcome: "returned",
      });
      assertEquals(bank_reference, withdrawal_id.slice(3).replaceAll("-", ""));
      const [batch] = await service.books.sql`
        select (b.created_at at time zone 'Asia/Riyadh')::date::text as day from gold.withdrawal_step s
        join gold.payment_batch b on b.id = s.batch_id where s.withdrawal_id = ${
        withdrawal_id.slice(3)
      }::uuid`;
      assertEquals(expected_on, batch!.day);
      const events = eventsReply.parse(await json(await bank.get("/v1/events?limit=100")));
      const told = events.items.flatMap(({ type, data }) =>
        "withdrawal" in data && data.withdrawal.withdrawal_id === withdrawal_id
          ? [`${type} ${data.withdrawal.bank_reference} ${data.withdrawal.expected_on}`]
          : []
      );
      const paid = `${bank_reference} ${expected_on}`;
      assertEquals(told, [
        ...["withdrawal.created null null", "withdrawal.approved null null"],
        ...[`withdrawal.submitted ${paid}`, `withdrawal.returned ${paid}`],
      ]);
    });

    it("refuses an outcome that cannot be reached, and does not bind the key", async () => {
      const withdrawal_id = await bank.withdraw();
      await bank.arm("withdrawal", { withdrawal_id, outcome: "rejected" });
      const headers = { "Idempotency-Key": randomUUID() };
      const { detail } = await expectProblem(
        bank.simulate("withdrawal", { withdrawal_id, outcome: "paid" }, { headers }),
        "withdrawal_outcome_unreachable",
      );
      assertEquals(
        detail,
        `The withdrawal ${withdrawal_id} is rejected, so it cannot become paid any more.`,
      );
      const paid = await bank.withdraw();
      await bank.arm("withdrawal", { withdrawal_id: paid, outcome: "paid" });
      const back = { withdrawal_id: paid, outcome: "submitted" };
      await expectProblem(bank.simulate("withdrawal", back), "withdrawal_outcome_unreachable");
      await bank.arm("withdrawal", { withdrawal_id: paid, outcome: "returned" });
      const again = { withdrawal_id: paid, outcome: "paid" };
      await expectProblem(bank.simulate("withdrawal", again), "withdrawal_outcome_unreachable");
      const other = { withdrawal_id, outcome: "rejected" };
      assertEquals((await bank.simulate("withdrawal", other, { headers })).status, 201);
    });

    it("gives the same refusal for another partner's, an unknown and a malformed withdrawal id", async () => {
      const own = await bank.withdraw();
      for (const withdrawal_id of [own, "wd_0198b3a5-7c00-7000-8000-000000000000", "wd_1"]) {
        const reply = await bystander.simulate("withdrawal", { withdrawal_id, outcome: "paid" });
        await expectProblem(reply, "not_found");
      }
    });
  });

  describe("deposit", () => {
    it("is recorded by one operator login, and approved and reversed by another", async () => {
      const before = await balance(bank);
      const made = fundingReply.parse(await bank.arm("deposit", { amount_sar: 250.5 }));
      assertEquals([made.amount_sar, made.reversed_at], [250.5, null]);
      assertEquals((await balance(bank)).available, before.available + 250.5);
      const reversed = fundingReply.parse(
        await bank.arm("deposit_reversal", { funding_id: made.funding_id }),
      );
      assertEquals({ ...reversed, reversed_at: null }, made);
      assert(reversed.reversed_at);
      assertEquals(await balance(bank), before);
      const again = await bank.arm("deposit_reversal", { funding_id: made.funding_id });
      assertEquals([again, await balance(bank)], [reversed, before]);
      const deposit = made.funding_id.slice(4);
      assertEquals(await auditOf("deposit.record", deposit), ["gold_simulation_maker"]);
      for (const action of ["deposit.approve", "deposit.reverse"]) {
        assertEquals(await auditOf(action, deposit), ["gold_simulation_checker"]);
      }
    });

    it("is refused above the limit, or if the money of a reversal was spent, and binds the key", async () => {
      const poor = await openSimulator(service, 0);
      const { funding_id } = await poor.arm("deposit", { amount_sar: 100 });
      await poor.withdraw(60);
      const refused = [
        ["deposit", { amount_sar: 1e300 }, "limit_exceeded"],
        ["deposit_reversal", { funding_id }, "insufficient_funds"],
      ] as const;
      for (const [name, body, code] of refused) {
        const headers = { "Idempotency-Key": randomUUID() };
        for (const replayed of [null, "true"]) {
          const reply = await poor.simulate(name, body, { headers });
          assertEquals(reply.headers.get("Idempotent-Replayed"), replayed);
          await expectProblem(reply, code);
        }
      }
    });

    it("cannot be reversed if it came from POST /sandbox/fund", async () => {
      const { items } = await json(await bystander.get("/v1/fundings")) as {
        items: { funding_id: string }[];
      };
      const reply = await bystander.simulate("deposit_reversal", { funding_id: items[0]!.funding_id });
      assertMatch((await expectProblem(reply, "not_found")).detail, /POST \/sandbox\/fund/);
    });
  });

  describe("market", () => {
    const QUOTE = { side: "buy", gold_grams: 1 };

    it("is closed for this partner alone, and replays of earlier quotes still work", async () => {
      const key = randomUUID();
      const first = await (await bank.quote(QUOTE, key)).text();
      const { market } = await bank.arm("market", { state: "closed", seconds: 30 }) as SimulationsReply;
      assertEquals(market!.state, "closed");
      const leftMs = Date.parse(market!.until) - service.now();
      assert(leftMs > 20_000 && leftMs <= 30_000, `${leftMs} ms`);
      await expectProblem(bank.quote(), "market_closed");
      assertEquals((await prices(bank)).market, "closed");
      assertEquals(await (await bank.quote(QUOTE, key)).text(), first);
      assertEquals([(await bystander.quote()).status, (await prices(bystander)).market], [201, "open"]);
      await bank.arm("market", { state: "normal" });
      assertEquals([(await bank.quote()).status, (await prices(bank)).market], [201, "open"]);
    });

    it("has only a stale price", async () => {
      await bank.arm("market", { state: "price_stale" });
      await expectProblem(bank.quote(), "price_unavailable");
      await expectProblem(bank.get("/v1/prices"), "price_unavailable");
      assertEquals([(await bystander.quote()).status, (await bystander.get("/v1/prices")).status], [
        201,
        200,
      ]);
      await bank.arm("reset");
      assertEquals((await bank.quote()).status, 201);
    });

    it("has a vault that is short for buys, not for sells", async () => {
      const bought = await bank.order(await bank.quoteId());
      assertEquals(bought.status, 201);
      await bank.arm("market", { state: "vault_short" });
      await expectProblem(bank.order(await bank.quoteId("buy")), "insufficient_inventory");
      assertEquals((await bank.order(await bank.quoteId("sell"))).status, 201);
      assertEquals((await bystander.order(await bystander.quoteId())).status, 201);
      await bank.arm("reset");
      assertEquals((await bank.order(await bank.quoteId())).status, 201);
    });

    it("has spent the withdrawals of the day, and the refusal binds its key", async () => {
      const withdraw = (of: Simulator, key = randomUUID()) =>
        of.signed("/v1/withdrawals", { amount_sar: 0.01 }, key);
      await bank.arm("market", { state: "withdrawals_spent" });
      const key = randomUUID();
      await expectProblem(withdraw(bank, key), "withdrawal_limit_exceeded");
      assertEquals((await withdraw(bystander)).status, 201);
      await bank.arm("reset");
      const replay = await withdraw(bank, key);
      await expectProblem(replay, "withdrawal_limit_exceeded");
      assertEquals(replay.headers.get("Idempotent-Replayed"), "true");
      assertEquals((await withdraw(bank)).status, 201);
    });

    it("ends by itself", async () => {
      await bank.arm("market", { state: "closed", seconds: 1 });
      const deadline = Date.now() + 10_000;
      while ((await bank.quote()).status !== 201) assert(Date.now() < deadline);
      assertEquals((await simulations(bank)).market, null);
    });
  });

  it("prices: quotes and prices change by the percentage, rounded in the operator's favour", async () => {
    await service.books.setPrice(3_210_007n, 3_190_003n);
    const percentages = [[10, 353.1008, 350.9003], [-50, 160.5004, 159.5001], [
      7,
      343.4708,
      341.3303,
    ]] as const;
    for (const [percent, buy, sell] of percentages) {
      await bank.arm("prices", { percent });
      const changed = await prices(bank);
      assertEquals([changed.buy_price, changed.sell_price], [buy, sell]);
      for (const [side, price] of [["buy", buy], ["sell", sell]] as const) {
        const quoted = quoteReply.parse(await json(await bank.quote({ side, gold_grams: 1 })));
        assertEquals(quoted.price_per_gram_sar, price);
      }
      assertEquals((await prices(bystander)).buy_price, 321.0007);
    }
    await bank.arm("reset");
    assertEquals((await prices(bank)).sell_price, 319.0003);
  });

  describe("quote_expiry", () => {
    it("ends the quote now, and a reset of the simulations does not make it firm again", async () => {
      const [ended, open] = [await bank.quoteId(), await bank.quoteId()];
      const made = quoteReply.parse(await bank.arm("quote_expiry", { quote_id: ended }));
      assertEquals([made.quote_id, made.status], [ended, "expired"]);
      assert(Date.parse(made.expires_at) <= Date.now(), made.expires_at);
      await bank.arm("reset");
      assertEquals(await json(await bank.get(`/v1/quotes/${ended}`)), made);
      await expectProblem(bank.order(ended), "quote_expired");
      assertEquals((await bank.order(open)).status, 201);
      assertEquals(await bank.arm("quote_expiry", { quote_id: ended }), made);
      await expectProblem(bank.simulate("quote_expiry", { quote_id: open }), "quote_already_executed");
      await expectProblem(bystander.simulate("quote_expiry", { quote_id: ended }), "not_found");
    });
  });

  describe("event", () => {
    const LOGINS = { changed_by: "gold_simulation_maker", approved_by: "gold_simulation_checker" };
    let partner: Simulator;
    /** The partner's events after those of the calls before, each as its type and its subject. */
    const eventsAfter = async (sequence: number) => {
      const { items } = eventsReply.parse(
        await json(await partner.get(`/v1/events?limit=100&after=${sequence}`)),
      );
      return items.map(({ type, data: { chain_head: _head, ...data } }) =>
        [type, Object.values(data)[0]] as const
      );
    };
    const simulate = async (type: string) => {
      const before = (eventsReply.parse(await json(await partner.get("/v1/events?limit=100")))).items.at(-1)!;
      const made = simulatedEventReply.parse(await partner.arm("event", { type }));
      const happened = await eventsAfter(before.sequence);
      assertEquals([made.type, made.sequence], [type, before.sequence + happened.length]);
      const { id, created_at } = await json(await partner.get(`/v1/events/${made.id}`));
      assertEquals([id, created_at], [made.id, made.created_at]);
      return happened;
    };
    before(async () => void (partner = await openSimulator(service)));

    it("is a client secret that is added, expires or ends, and that nobody knows", async () => {
      const registered = async () =>
        accountReply.parse(await json(await partner.get("/v1/account"))).credentials.client_secrets;
      const own = await registered();
      const [[, added]] = await simulate("credential.added") as [[string, Record<string, string>]];
      assertEquals(added, { ...added, ...LOGINS, kind: "client_secret" });
      const [second] = (await registered()).filter(({ secret_id }) => secret_id === added.id);
      assertEquals([second!.retire_at, second!.last_used_at], [added.valid_until!, null]);
      const types = (await simulate("credential.expiring")).map(([type]) => type);
      assertEquals(types, ["credential.ended", "credential.added", "credential.expiring"]);
      const [[type, ended]] = await simulate("credential.ended") as [[string, Record<string, string>]];
      assertEquals([type, ended], [type, { ...ended, ...LOGINS }]);
      assert(Date.parse(ended.valid_until!) <= Date.now());
      assertEquals((await simulate("credential.ended")).map(([type]) => type), [
        "credential.added",
        "credential.ended",
      ]);
      const still = (await registered()).filter(({ retire_at }) => retire_at === null);
      assertEquals(still.map(({ secret_id }) => secret_id), own.map(({ secret_id }) => secret_id));
    });

    it("states the registered IBAN and URL again, and the payouts go on", async () => {
      const { settlement, webhook_endpoints } = accountReply.parse(
        await json(await partner.get("/v1/account")),
      );
      const [[, iban]] = await simulate("settlement.changed") as [[string, Record<string, string>]];
      assertEquals([iban.iban_masked, iban.changed_by], [settlement.iban_masked, LOGINS.changed_by]);
      const [[, endpoint]] = await simulate("webhook_endpoint.changed") as [[string, object]];
      const expected = { url: webhook_endpoints[0]!.url, endpoint: 1, removed_at: null, ...LOGINS };
      assertEquals(endpoint, expected);
      const withdrawal_id = await partner.withdraw(10);
      await partner.arm("withdrawal", { withdrawal_id, outcome: "paid" });
    });

    it("closes the newest past day that is open, and the account trades on", async () => {
      // A day is closed five minutes after its end in Riyadh.
      const sinceMs = Date.now() + 3 * 3_600_000 - 5 * 60_000;
      const day = (back: number) => new Date(sinceMs - back * 86_400_000).toISOString().slice(0, 10);
      for (const back of [1, 2]) {
        const [[, closed]] = await simulate("day.closed") as [[string, Record<string, unknown>]];
        assertEquals([closed.date, closed.quotes, closed.first_sequence], [day(back), 0, null]);
      }
      assertEquals((await partner.order(await partner.quoteId())).status, 201);
      const both = await Promise.all([1, 2].map(() => partner.simulate("event", { type: "day.closed" })));
      assertEquals(both.map(({ status }) => status), [201, 201]);
      const days = await columnOf(service.books.sql`
        select day::text from gold.closed_day where client_id = ${partner.partner.client} order by day desc`);
      assertEquals(days, [1, 2, 3, 4].map(day));
    });

    it("is refused without a webhook endpoint, and does not bind the key", async () => {
      const headers = { "Idempotency-Key": randomUUID() };
      const type = "webhook_endpoint.changed";
      const mute = await openSimulator(service, 0);
      await service.books.sql`delete from gold.receiver where id = ${mute.partner.client}`;
      await expectProblem(mute.simulate("event", { type }, { headers }), "not_found");
      assertEquals((await mute.simulate("event", { type: "day.closed" }, { headers })).status, 201);
    });
  });

  describe("failure", () => {
    const REFUSALS = {
      rate_limited: "rate_limited",
      unavailable: "service_unavailable",
      timeout: "upstream_timeout",
    } as const;
    for (const [kind, code] of Object.entries(REFUSALS)) {
      it(`${kind}: the next requests are refused and executed later under the same key`, async () => {
        await bank.arm("failure", { kind, count: 2 });
        const key = randomUUID();
        for (const remaining of [1, undefined]) {
          await expectProblem(bank.quote(undefined, key), code);
          assertEquals((await simulations(bank)).failure?.remaining, remaining);
        }
        assertEquals((await bank.quote(undefined, key)).status, 201);
      });
    }

    it("refused: the next request whose operation documents the code gets it", async () => {
      await bank.arm("failure", { kind: "refused", code: "open_quotes_exceeded" });
      const quote = await bank.quoteId().catch(() => "refused");
      assertEquals(quote, "refused");
      await bank.arm("failure", { kind: "refused", code: "open_quotes_exceeded" });
      assertEquals((await bank.get("/v1/balances")).status, 200);
      assertEquals((await simulations(bank)).failure?.code, "open_quotes_exceeded");
      await expectProblem(bank.quote(), "open_quotes_exceeded");
      for (const code of ["partner_suspended", "token_expired", "internal_error"] as const) {
        await bank.arm("failure", { kind: "refused", code });
        await expectProblem(bank.get("/v1/prices"), code);
        assertEquals((await bank.get("/v1/prices")).status, 200);
      }
    });

    it("hang: the request is executed, and its reply comes after the seconds", async () => {
      // A slow machine may need longer than the seconds until the replay is answered. Then this starts again.
      await until(async () => {
        const quote = await bank.quoteId();
        await bank.arm("failure", { kind: "hang", seconds: 4 });
        const key = randomUUID();
        const sentMs = performance.now();
        let tookMs: number | undefined;
        const hanging = bank.order(quote, key).finally(() => tookMs = performance.now() - sentMs);
        await until(async () => (await simulations(bank)).failure === null);
        await until(async () => (await bank.get(`/v1/orders/ord_${quote.slice(3)}`)).status === 200);
        const replayed = await bank.order(quote, key);
        assertEquals(replayed.status, 200);
        const wasFirst = tookMs === undefined;
        const hung = await hanging;
        assert(tookMs! >= 3900, `${tookMs} ms`);
        assertEquals([hung.status, await hung.text()], [201, await replayed.text()]);
        return wasFirst;
      });
    });

    it("lost_reply: the request is executed, and a retry with the same key gets the reply", async () => {
      const quote = await bank.quoteId();
      await bank.arm("failure", { kind: "lost_reply" });
      const key = randomUUID();
      await expectProblem(bank.order(quote, key), "upstream_unavailable");
      const retry = await bank.order(quote, key);
      assertEquals([retry.status, retry.headers.get("Idempotent-Replayed")], [200, "true"]);
      assertEquals((await json(retry)).quote_id, quote);
    });

    it("affects neither other partners nor requests that end simulations", async () => {
      await bank.arm("failure", { kind: "unavailable", count: 10 });
      assertEquals((await bystander.quote()).status, 201);
      assertEquals(await bank.arm("reset"), NOTHING);
      assertEquals((await bank.quote()).status, 201);
    });
  });

  describe("every simulation", () => {
    const BODIES: Record<string, Record<string, unknown>> = {
      withdrawal: { withdrawal_id: "wd_1", outcome: "paid" },
      deposit: { amount_sar: 1 },
      deposit_reversal: { funding_id: "fnd_1" },
      quote_expiry: { quote_id: "qt_1" },
      event: { type: "day.closed" },
      market: { state: "closed" },
      prices: { percent: 1 },
      failure: { kind: "hang" },
      webhooks: { kind: "twice" },
      reset: {},
    };

    it("needs a token and an Idempotency-Key, and is replayed", async () => {
      for (const [name, body] of Object.entries(BODIES)) {
        const cases = [["Authorization", "token_missing"], [
          "Idempotency-Key",
          "idempotency_key_missing",
        ]] as const;
        for (const [header, code] of cases) {
          await expectProblem(bank.simulate(name, body, { headers: { [header]: null } }), code);
        }
      }
      const headers = { "Idempotency-Key": randomUUID() };
      const first = await bank.simulate("market", { state: "closed" }, { headers });
      await bank.arm("reset");
      const again = await bank.simulate("market", { state: "closed" }, { headers });
      assertEquals([first.status, again.status, await again.text()], [201, 200, await first.text()]);
      assertEquals(await simulations(bank), NOTHING);
    });

    it("refuses malformed parameters", async () => {
      const malformed: [string, unknown, RegExp][] = [
        ["withdrawal", { withdrawal_id: 1, outcome: "paid" }, /withdrawal_id must be a string/],
        [
          "withdrawal",
          { withdrawal_id: "wd_1", outcome: "lost" },
          /outcome must be one of approved, submitted/,
        ],
        ["deposit", { amount_sar: 0 }, /above 0/],
        ["event", { type: "order.executed" }, /type must be one of credential.added/],
        ["market", { state: "open" }, /state must be one of closed/],
        ["market", { state: "closed", seconds: 601 }, /from 1 to 600/],
        ["prices", { percent: 0 }, /percent must not be 0/],
        ["prices", { percent: 51 }, /from -50 to 50/],
        ["prices", { percent: 0.5 }, /from -50 to 50/],
        ["failure", { kind: "hang", seconds: 31 }, /from 1 to 30/],
        ["failure", { kind: "timeout", seconds: 3 }, /only for the kind hang/],
        ["failure", { kind: "refused" }, /required for the kind refused/],
        ["failure", { kind: "refused", code: "quote_expired" }, /stores nothing/],
        ["failure", { kind: "hang", count: 11 }, /from 1 to 10/],
        ["webhooks", { kind: "twice", seconds: 3 }, /only for the kind late/],
        ["webhooks", { kind: "never" }, /kind must be one of twice/],
        ["reset", { all: true }, /unknown/],
      ];
      for (const [name, body, says] of malformed) {
        const reply = await bank.simulate(name, body as Record<string, unknown>);
        const { detail } = await expectProblem(reply, "invalid_request");
        assertMatch(detail, says, name);
      }
      const alone = { failure: { kind: "timeout", seconds: 3 }, webhooks: { kind: "twice", seconds: 3 } };
      for (const [name, body] of Object.entries(alone)) {
        const { errors } = await expectProblem(bank.simulate(name, body), "invalid_request");
        assertEquals(errors?.map((each) => "pointer" in each && each.pointer), ["#/seconds"]);
      }
    });

    it("does not exist in production, where every path is 404 before any check", async () => {
      const production = await testService({ environment: "production" });
      try {
        const bare = { Authorization: null, "X-Forwarded-Client-Cert": null, "Idempotency-Key": null };
        for (const [name, body] of Object.entries(BODIES)) {
          for (const headers of [{}, bare]) {
            const sending = { body: JSON.stringify(body), headers };
            await expectProblem(production.send(`/sandbox/simulate/${name}`, sending), "not_found");
          }
        }
        const sending = { method: "GET", headers: bare };
        await expectProblem(production.send("/sandbox/simulations", sending), "not_found");
      } finally {
        await production.stop();
      }
    });
  });

  itLeavesNoDefectsInAudit(() => service.books);
});
