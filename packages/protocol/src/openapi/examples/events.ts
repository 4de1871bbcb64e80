import { API_VERSION } from "../../api_version.ts";
import type { EventReply, WebhookEvent, WebhookEventType, WithdrawalStatus } from "../../schema/mod.ts";
import { FUNDING, SUBMITTED, WITHDRAWAL } from "./money.ts";
import { CLIENT_ID, DIGEST, ID, INSTANT, THUMBPRINT } from "./example_values.ts";
import { ORDERS } from "./trading.ts";

const chain_head = DIGEST.chainHead;

const of = { environment: "sandbox", api_version: API_VERSION } as const;

interface Occasion {
  readonly id: string;
  readonly sequence: number;
  readonly created_at: string;
}

function withdrawalEvent<Type extends WebhookEventType & `withdrawal.${string}`>(
  type: Type,
  status: WithdrawalStatus,
  occasion: Occasion,
) {
  const payment = ["submitted", "paid", "returned"].includes(status) ? SUBMITTED : {};
  return {
    type,
    ...occasion,
    ...of,
    data: { withdrawal: { ...WITHDRAWAL, ...payment, status }, chain_head },
  } as const;
}

const BY_ONE = { changed_by: "sara", approved_by: null } as const;

/** One example of each type of event. The first six events of this new partner are its own credentials. */
export const EVENTS = {
  "order.executed": {
    type: "order.executed",
    id: ID.buyEvent,
    sequence: 8,
    created_at: INSTANT.bought,
    ...of,
    data: { order: ORDERS.buy, chain_head },
  },
  "withdrawal.created": withdrawalEvent("withdrawal.created", "pending_approval", {
    id: ID.withdrawalEvent,
    sequence: 10,
    created_at: INSTANT.withdrawn,
  }),
  "withdrawal.approved": withdrawalEvent("withdrawal.approved", "approved", {
    id: "evt_019c1db0-01c0-778b-9fa3-327a2245c858",
    sequence: 11,
    created_at: "2026-02-02T09:30:00.000Z",
  }),
  "withdrawal.submitted": withdrawalEvent("withdrawal.submitted", "submitted", {
    id: "evt_019c1db0-ec20-7853-87ab-9ac2ca327a22",
    sequence: 12,
    created_at: "2026-02-02T09:31:00.000Z",
  }),
  "withdrawal.paid": withdrawalEvent("withdrawal.paid", "paid", {
    id: "evt_019c1db1-8860-7a2d-9915-213dc4a404e4",
    sequence: 13,
    created_at: "2026-02-02T09:31:40.000Z",
  }),
  "withdrawal.rejected": withdrawalEvent("withdrawal.rejected", "rejected", {
    id: "evt_019c1db0-01c0-7a78-8b28-7168793d7bba",
    sequence: 11,
    created_at: "2026-02-02T09:30:00.000Z",
  }),
  "withdrawal.returned": withdrawalEvent("withdrawal.returned", "returned", {
    id: "evt_019c1db2-4bb0-7424-8464-c4a49fe3d756",
    sequence: 14,
    created_at: "2026-02-02T09:32:30.000Z",
  }),
  "withdrawal.cancelled": withdrawalEvent("withdrawal.cancelled", "cancelled", {
    id: "evt_019c1368-52d0-7c1e-b07b-5ad1c9f2e640",
    sequence: 11,
    created_at: INSTANT.cancelled,
  }),
  "funding.completed": {
    type: "funding.completed",
    id: ID.fundingEvent,
    sequence: 7,
    created_at: INSTANT.funded,
    ...of,
    data: { funding: FUNDING, chain_head },
  },
  "funding.reversed": {
    type: "funding.reversed",
    id: "evt_019c18a5-1d00-7b52-9d07-51c7f04d3a6e",
    sequence: 11,
    created_at: "2026-02-01T10:00:00.000Z",
    ...of,
    data: { funding: { ...FUNDING, reversed_at: "2026-02-01T10:00:00.000Z" }, chain_head },
  },
  "credential.expiring": {
    type: "credential.expiring",
    id: "evt_019c1889-a5c0-78a8-b888-186878e3d7bb",
    sequence: 11,
    created_at: "2026-02-01T09:30:00.000Z",
    ...of,
    data: {
      credential: { kind: "certificate", id: DIGEST.certificate, expires_at: "2026-03-03T09:30:00.000Z" },
      chain_head,
    },
  },
  "credential.added": {
    type: "credential.added",
    id: "evt_019c1361-74f0-7c1e-8f4b-3a5ce2f0a914",
    sequence: 4,
    created_at: "2026-01-31T09:28:00.000Z",
    ...of,
    data: {
      credential: {
        kind: "signing_key",
        id: THUMBPRINT,
        kid: "orders-1",
        valid_from: "2026-01-31T09:28:00.000Z",
        valid_until: null,
        ...BY_ONE,
      },
      chain_head,
    },
  },
  "credential.ended": {
    type: "credential.ended",
    id: "evt_019c1db4-2030-7e0d-9d35-60b9f18c2a47",
    sequence: 15,
    created_at: "2026-02-02T09:34:30.000Z",
    ...of,
    data: {
      credential: {
        kind: "webhook_secret",
        id: "1",
        kid: null,
        valid_from: "2026-01-31T09:28:00.000Z",
        valid_until: "2026-02-03T09:34:30.000Z",
        ...BY_ONE,
      },
      chain_head,
    },
  },
  "settlement.changed": {
    type: "settlement.changed",
    id: "evt_019c1361-74f0-7a52-b1c6-90d7be04f8a3",
    sequence: 1,
    created_at: "2026-01-31T09:28:00.000Z",
    ...of,
    data: {
      settlement: { iban_masked: WITHDRAWAL.iban_masked, iban_sha256: DIGEST.iban, ...BY_ONE },
      chain_head,
    },
  },
  "webhook_endpoint.changed": {
    type: "webhook_endpoint.changed",
    id: "evt_019c1361-74f0-7b39-a40e-7c51d2e98f06",
    sequence: 2,
    created_at: "2026-01-31T09:28:00.000Z",
    ...of,
    data: {
      webhook_endpoint: { url: "https://bank.example/webhooks", endpoint: 1, removed_at: null, ...BY_ONE },
      chain_head,
    },
  },
  "day.closed": {
    type: "day.closed",
    id: "evt_019c15df-9460-7d1c-8a52-0b7f4c3e9d68",
    sequence: 11,
    created_at: "2026-01-31T21:05:00.000Z",
    ...of,
    data: {
      day: {
        date: "2026-01-31",
        first_sequence: 1,
        last_sequence: 10,
        opening_balance: { available_sar: 0, held_sar: 0, gold_grams: 0 },
        closing_balance: { available_sar: 91046.97, held_sar: 5000, gold_grams: 9.838 },
        quotes: 2,
        orders: 2,
        refusals: 0,
        broken: 0,
        quotes_sha256: DIGEST.answer,
        refusals_sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        epoch: { number: 1, timeline: 1, began_at: "2026-01-12T08:00:00.000Z" },
        quotes_executed: 2,
        quotes_expired: 0,
      },
      chain_head,
    },
  },
  "webhook.test": {
    type: "webhook.test",
    id: "evt_019c1368-52d0-7f53-87ab-ffc3379b2f33",
    sequence: 11,
    created_at: "2026-01-31T09:35:30.000Z",
    ...of,
    data: { chain_head },
  },
} as const satisfies Record<WebhookEventType, WebhookEvent>;

/** Each example as the body of a webhook to an endpoint without a filter. */
export const WEBHOOKS = Object.fromEntries(
  Object.entries(EVENTS).map(([type, event]) => {
    const { sequence } = event;
    const previous = sequence === 1 ? null : sequence - 1;
    return [type, { ...event, previous_sequence: previous, client_id: CLIENT_ID }];
  }),
) as {
  readonly [Type in WebhookEventType]: (typeof EVENTS)[Type] & {
    previous_sequence: number | null;
    client_id: string;
  };
};

const DELIVERED = {
  status: "delivered",
  next_attempt_at: null,
  attempts: [{ attempted_at: "2026-01-31T09:31:15.120Z", http_status: 204, duration_ms: 38, cause: null }],
} satisfies EventReply["delivery"];

const DUE = {
  status: "pending",
  next_attempt_at: INSTANT.read,
  attempts: [],
} satisfies EventReply["delivery"];

/** The line of the event of the bought gold. Its last member is the salt of event 8. */
const LINE =
  `2|1|8|1|${
    ID.buyOrder.slice(4)
  }|1769851875000|1|2|4|1|495306|9504694|0|0|2|6|7|2|123456|9504694|0|123456|1|123456|4012000|495306` +
  `|${DIGEST.answer}|02e84a19ee45023a007f8746a8d89745`;
/** The members of an event that is delivered to one endpoint. */
const toFirst = <Shown extends EventReply["delivery"]>(delivery: Shown) => ({
  delivery,
  deliveries: [{ endpoint: 1, ...delivery }],
});
const ORDER_EVENT = EVENTS["order.executed"];
export const EVENT = { ...ORDER_EVENT, ...toFirst(DELIVERED), line: LINE } satisfies EventReply;
export const EVENT_REDELIVERED = {
  ...ORDER_EVENT,
  ...toFirst({ ...DUE, attempts: DELIVERED.attempts }),
} satisfies EventReply;
export const WEBHOOK_TEST = { ...EVENTS["webhook.test"], ...toFirst(DUE) } satisfies EventReply;
