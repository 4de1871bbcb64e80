import { randomUUID } from "node:crypto";
import type { OperationId, TokenProblemCode } from "@gold-partner/protocol";
import type { Call, Caller } from "./caller_fixture.ts";
import { failAuthentication, suspend, takePriceAway } from "./disturbances_fixture.ts";
import { orderOf, quote, type Way, WITHDRAWAL, withdrawal } from "./way_fixture.ts";

const STRICT_PROBE: Call = { body: "any", headers: { Prefer: "handling=strict" } };

/**
 * A way for an operation on one record: the valid call names one of the partner's own records, and the faulty
 * call names an id that does not exist.
 */
function byId(operation: OperationId, list: OperationId, id: string, parameter = id): Way {
  return {
    operation,
    async stage({ partner }) {
      const { items } = await partner.succeed(list) as { items: Record<string, string>[] };
      const own = items[0]![id]!;
      const path = (value: string) => ({ path: { [parameter]: value } });
      return { caller: partner, call: path(own), fault: path(own.slice(0, -1)) };
    },
  };
}

/** The refusals of the simulations. */
function simulationWays(): (readonly [TokenProblemCode, Way])[] {
  const unknown = (
    operation: OperationId,
    id: string,
    makeCall: (partner: Caller) => Promise<Call>,
  ): Way => ({
    operation,
    async stage({ partner }) {
      const call = await makeCall(partner);
      return { caller: partner, call, fault: { body: { ...call.body as object, [id]: "unknown" } } };
    },
  });
  const deposit = async (caller: Caller, amount_sar: number) => {
    const { funding_id } = await caller.succeed("simulateDeposit", { body: { amount_sar } });
    return { body: { funding_id } };
  };
  return [
    [
      "not_found",
      unknown("simulateWithdrawal", "withdrawal_id", async (partner) => {
        const { withdrawal_id } = await partner.succeed("createWithdrawal", WITHDRAWAL);
        return { body: { withdrawal_id, outcome: "rejected" } };
      }),
    ],
    ["not_found", unknown("simulateDepositReversal", "funding_id", (partner) => deposit(partner, 1))],
    ["not_found", unknown("simulateQuoteExpiry", "quote_id", (partner) => orderOf(partner, "buy", 1))],
    ["not_found", {
      operation: "simulateEvent",
      async stage({ stack: { sql }, other }) {
        // A partner that was registered without a webhook endpoint.
        const [row] = await sql`
          delete from gold.receiver r using gold.partner p
          where p.id = r.id and p.public_id = ${other.credentials.client_id} returning r.*`;
        const call = { body: { type: "webhook_endpoint.changed" } };
        return { caller: other, call, mend: () => sql`insert into gold.receiver ${sql(row!)}` };
      },
    }],
    ["quote_already_executed", {
      operation: "simulateQuoteExpiry",
      async stage({ partner }) {
        const call = await orderOf(partner, "buy", 1);
        await partner.succeed("createOrder", call);
        return { caller: partner, call };
      },
    }],
    ["limit_exceeded", {
      operation: "simulateDeposit",
      stage: async ({ partner }) => ({ caller: partner, call: { body: { amount_sar: 10_000_000_000.01 } } }),
    }],
    ["insufficient_funds", {
      operation: "simulateDepositReversal",
      async stage({ poor }) {
        const { sar } = await poor.succeed("getBalances") as { sar: { available: number } };
        const call = await deposit(poor, 100);
        await poor.succeed("createWithdrawal", { body: { amount_sar: sar.available + 100 } });
        return { caller: poor, call };
      },
    }],
  ];
}

/** Causes the same error codes as the other ways, at further operations that can return them. */
export const ELSEWHERE_WAYS: readonly (readonly [TokenProblemCode, Way])[] = [
  ["partner_suspended", {
    operation: "issueToken",
    async stage({ stack, other }) {
      const mend = await suspend(stack, other);
      await other.until(({ status }) => status === 403);
      return { caller: other, call: { body: other.form }, mend };
    },
  }],
  ["rate_limited", {
    operation: "createWithdrawal",
    fades: true,
    async stage({ other }) {
      await failAuthentication(other);
      return { caller: other, call: WITHDRAWAL, fault: { token: "nonsense" } };
    },
  }],
  ["rate_limited", {
    operation: "issueToken",
    fades: true,
    async stage({ other }) {
      await failAuthentication(other);
      return { caller: other, call: { body: other.form }, fault: { body: other.form.slice(0, -1) } };
    },
  }],
  ["nonce_reused", {
    operation: "probeSignature",
    async stage({ partner }) {
      const nonce = randomUUID();
      await partner.succeed("probeSignature", { ...STRICT_PROBE, nonce });
      return { caller: partner, call: STRICT_PROBE, fault: { nonce } };
    },
  }],
  ["price_unavailable", {
    operation: "getPrices",
    stage: async ({ stack, partner }) => ({ caller: partner, call: {}, mend: await takePriceAway(stack) }),
  }],
  [
    "limit_exceeded",
    quote(async ({ partner }) => {
      return { caller: partner, call: { body: { side: "buy", gold_grams: 1000.0001 } } };
    }),
  ],
  ["limit_exceeded", {
    operation: "fundSandbox",
    stage: async ({ partner }) => ({ caller: partner, call: { body: { amount_sar: 10_000_000_000.01 } } }),
  }],
  [
    "insufficient_funds",
    withdrawal(async ({ poor }) => {
      return { caller: poor, call: { body: { amount_sar: 1_000_000 } } };
    }),
  ],
  ["not_found", {
    operation: "getQuote",
    async stage({ partner }) {
      const path = (await orderOf(partner, "buy", 1)).body;
      return { caller: partner, call: { path }, fault: { path: { quote_id: "qt_unknown" } } };
    },
  }],
  ...simulationWays(),
  ["not_found", {
    operation: "getReservesList",
    async stage({ partner }) {
      const { reserves_list_id } = await partner.succeed("getReserves") as { reserves_list_id: string };
      const path = (id: string) => ({ path: { reserves_list_id: id } });
      return { caller: partner, call: path(reserves_list_id), fault: path("lst_999999") };
    },
  }],
  ["not_found", byId("getOrder", "listOrders", "order_id")],
  ["not_found", byId("getWithdrawal", "listWithdrawals", "withdrawal_id")],
  ["not_found", {
    operation: "cancelWithdrawal",
    async stage({ partner }) {
      const { withdrawal_id } = await partner.succeed("createWithdrawal", WITHDRAWAL);
      const call = (id: string) => ({ path: { withdrawal_id: id }, body: {} });
      return { caller: partner, call: call(withdrawal_id as string), fault: call("wd_unknown") };
    },
  }],
  ["not_found", {
    operation: "getChange",
    async stage({ partner }) {
      const { change_id } = await partner.succeed("requestChange", { body: { ip_range: "203.0.113.0/24" } });
      const call = (id: string) => ({ path: { change_id: id } });
      return { caller: partner, call: call(change_id as string), fault: call("chg_unknown") };
    },
  }],
  ["not_found", byId("getFunding", "listFundings", "funding_id")],
  ["not_found", byId("getEvent", "listEvents", "id", "event_id")],
  ["not_found", byId("redeliverEvent", "listEvents", "id", "event_id")],
];
