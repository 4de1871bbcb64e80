import { randomUUID } from "node:crypto";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";
import {
  API_VERSION,
  eventReply,
  eventsReply,
  fundingReply,
  fundingsReply,
  orderReply,
  ordersReply,
  withdrawalReply,
  withdrawalsReply,
} from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { suiteOperators, type TestOperator } from "../booking/operator_fixture.ts";
import { newUuid } from "../booking/fixture.ts";
import { type Account, openAccount } from "./fixture.ts";

const KINDS = ["quote", "order", "withdrawal", "funding", "event"] as const;
const LISTS = ["orders", "withdrawals", "fundings", "events"] as const;
const PREFIX = { quote: "qt_", order: "ord_", withdrawal: "wd_", funding: "fnd_", event: "evt_" };

describe("reads of one record", () => {
  const service = suiteService();
  let account: Account;
  const operators = suiteOperators(() => service.books);
  before(async () => {
    await service.books.addBar(10_000_000n);
    account = await openAccount(service);
    await account.fund(100_000);
  });

  it("return an order as POST /v1/orders returned it, without the balances", async () => {
    for (const side of ["buy", "sell"] as const) {
      const { balances: _balances, ...order } = await account.trade(side, 0.1234);
      assertEquals(await account.read(`/v1/orders/${order.order_id}`, orderReply), order);
    }
  });

  it("return a withdrawal's current status, while each event keeps the status that it reported", async () => {
    const [maker, checker] = operators as [TestOperator, TestOperator];
    const submit = (id: string) => checker.submitWithdrawals([id], newUuid());
    const ways: Record<string, ((id: string) => Promise<string>)[]> = {
      paid: [(id) => maker.approveWithdrawal(id), submit, (id) => maker.payWithdrawal(id)],
      returned: [(id) => maker.approveWithdrawal(id), submit, (id) => maker.returnWithdrawal(id)],
      rejected: [(id) => maker.rejectWithdrawal(id)],
    };
    for (const [end, steps] of Object.entries(ways)) {
      const id = await account.withdraw(12.34);
      const seen: string[] = [];
      const look = async () =>
        seen.push((await account.read(`/v1/withdrawals/${id}`, withdrawalReply)).status);
      await look();
      for (const step of steps) {
        assertEquals(await step(id.slice("wd_".length)), "done");
        await look();
      }
      assertEquals([seen[0], seen.at(-1)], ["pending_approval", end]);
      const { items } = await account.read("/v1/events?limit=200", eventsReply);
      const listed = items.flatMap(({ type, data }) =>
        "withdrawal" in data && data.withdrawal.withdrawal_id === id
          ? [`${type} ${data.withdrawal.status}`]
          : []
      );
      const [created, ...later] = seen.map((status) => `withdrawal.${status} ${status}`);
      assertEquals(listed, [created!.replace("pending_approval", "created"), ...later]);
    }
  });

  it("return reversed_at for a reversed funding; its funding.completed event still has null", async () => {
    const [maker, checker] = operators as [TestOperator, TestOperator];
    const fund = await account.fund(5);
    assertEquals((await account.read(`/v1/fundings/${fund}`, fundingReply)).reversed_at, null);
    const deposit = await maker.recordDeposit(account.partner.clientId, 700n, randomUUID());
    const path = `/v1/fundings/fnd_${deposit}`;
    await expectProblem(account.get(path), "not_found");
    assertEquals(await checker.approveDeposit(deposit), "done");
    const { reversed_at, ...standing } = await account.read(path, fundingReply);
    assertEquals([reversed_at, standing.amount_sar], [null, 7]);
    assertEquals(await maker.reverseDeposit(deposit), "done");
    const reversed = await account.read(path, fundingReply);
    const { items } = await account.read("/v1/events?limit=200", eventsReply);
    const [came, went] = items.filter(({ data }) =>
      "funding" in data && data.funding.funding_id === `fnd_${deposit}`
    );
    assertEquals([came!.type, went!.type], ["funding.completed", "funding.reversed"]);
    assertEquals(reversed, { ...standing, reversed_at: went!.created_at });
    assertEquals("funding" in came!.data && came!.data.funding, { ...standing, reversed_at: null });
    assertEquals("funding" in went!.data && went!.data.funding, reversed);
    const list = await account.read("/v1/fundings", fundingsReply);
    assertEquals(list.items[0], reversed);
  });

  it("return 404 for a malformed id, an unknown id and another partner's id of every kind", async () => {
    const [order, funding, withdrawal] = [
      await account.trade("buy", 1),
      await account.fund(1),
      await account.withdraw(1),
    ];
    const { items } = await account.read("/v1/events?limit=1", eventsReply);
    assertEquals([items[0]!.environment, items[0]!.api_version], ["sandbox", API_VERSION]);
    const own = { quote: order.quote_id, order: order.order_id, funding, withdrawal, event: items[0]!.id };
    const stranger = await openAccount(service);
    for (const kind of KINDS) {
      const id = own[kind];
      const uuid = id.slice(PREFIX[kind].length);
      assertEquals((await account.get(`/v1/${kind}s/${id}`)).status, 200, kind);
      const foreign = await expectProblem(stranger.get(`/v1/${kind}s/${id}`), "not_found");
      const wrong = [
        `${PREFIX[kind]}${newUuid()}`,
        uuid,
        id.toUpperCase(),
        `${id}0`,
        id.slice(0, -1),
        `req_${uuid}`,
        `${PREFIX[kind]}${uuid.slice(0, 14)}4${uuid.slice(15)}`,
        "x",
        "-",
      ];
      for (const name of wrong) {
        const problem = await expectProblem(account.get(`/v1/${kind}s/${name}`), "not_found");
        assertEquals(problem.detail, foreign.detail, name);
      }
    }
  });

  it("answer HEAD like GET but without a body, as every list does", async () => {
    const { quote_id, order_id } = await account.trade("buy", 1);
    const paths = [
      `quotes/${quote_id}`,
      `orders/${order_id}`,
      ...LISTS,
      "statement?from=2026-01-01&to=2026-12-31",
    ];
    for (const path of paths) {
      const head = await service.send(`/v1/${path}`, { method: "HEAD", partner: account.partner });
      const get = await account.get(`/v1/${path}`);
      assertEquals([head.status, await head.text()], [200, ""], path);
      assertEquals(head.headers.get("Content-Type"), get.headers.get("Content-Type"), path);
      await get.text();
    }
  });

  it("reject any query parameter", async () => {
    for (const kind of KINDS) {
      await expectProblem(account.get(`/v1/${kind}s/${PREFIX[kind]}${newUuid()}?x=1`), "invalid_request");
    }
  });

  it("require an access token, as every list does", async () => {
    for (const path of [...LISTS, ...KINDS.map((kind) => `${kind}s/${PREFIX[kind]}${newUuid()}`)]) {
      await expectProblem(account.get(`/v1/${path}`, { Authorization: null }), "token_missing");
    }
  });

  it("return an empty page from each list, for a partner without records", async () => {
    const nobody = await openAccount(service);
    const schemas = {
      orders: ordersReply,
      withdrawals: withdrawalsReply,
      fundings: fundingsReply,
      events: eventsReply,
    };
    for (const list of LISTS) {
      assertEquals(await nobody.read(`/v1/${list}`, schemas[list]), { items: [], next_cursor: null });
    }
  });

  it("return an event with its chain hash and with the delivery status pending", async () => {
    const { order_id } = await account.trade("buy", 0.5);
    const { items } = await account.read("/v1/events?limit=200", eventsReply);
    const newest = items.at(-1)!;
    assertEquals(await account.read(`/v1/events/${newest.id}`, eventReply), newest);
    assertEquals(
      "order" in newest.data && newest.data.order,
      await account.read(`/v1/orders/${order_id}`, orderReply),
    );
    assertEquals(newest.delivery, { status: "pending", next_attempt_at: null, attempts: [] });
    const rows = await service.books.sql<{ hash: string }[]>`
      select encode(hash, 'hex') as hash from gold.chain_link where client_id = ${account.partner.client} order by sequence`;
    assertEquals(
      items.map(({ data }) => data.chain_head),
      rows.slice(0, items.length).map(({ hash }) => hash),
    );
  });
});
