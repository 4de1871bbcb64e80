import type { EventReply, WebhookEvent, WebhookEventType, WithdrawalStatus } from "../../schema/mod.ts";
import { FUNDING, WITHDRAWAL } from "./money.ts";
import { DIGEST, ID, INSTANT } from "./story.ts";
import { ORDERS } from "./trading.ts";

const chain_head = DIGEST.chainHead;

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
  return { type, ...occasion, data: { withdrawal: { ...WITHDRAWAL, status }, chain_head } } as const;
}

/** One example of each type of event. */
export const EVENTS = {
  "order.executed": {
    type: "order.executed",
    id: ID.buyEvent,
    sequence: 2,
    created_at: INSTANT.bought,
    data: { order: ORDERS.buy, chain_head },
  },
  "withdrawal.created": withdrawalEvent("withdrawal.created", "pending_approval", {
    id: ID.withdrawalEvent,
    sequence: 4,
    created_at: INSTANT.withdrawn,
  }),
  "withdrawal.approved": withdrawalEvent("withdrawal.approved", "approved", {
    id: "evt_019c1db0-01c0-778b-9fa3-327a2245c858",
    sequence: 5,
    created_at: "2026-02-02T09:30:00.000Z",
  }),
  "withdrawal.submitted": withdrawalEvent("withdrawal.submitted", "submitted", {
    id: "evt_019c1db0-ec20-7853-87ab-9ac2ca327a22",
    sequence: 6,
    created_at: "2026-02-02T09:31:00.000Z",
  }),
  "withdrawal.paid": withdrawalEvent("withdrawal.paid", "paid", {
    id: "evt_019c1db1-8860-7a2d-9915-213dc4a404e4",
    sequence: 7,
    created_at: "2026-02-02T09:31:40.000Z",
  }),
  "withdrawal.rejected": withdrawalEvent("withdrawal.rejected", "rejected", {
    id: "evt_019c1db0-01c0-7a78-8b28-7168793d7bba",
    sequence: 5,
    created_at: "2026-02-02T09:30:00.000Z",
  }),
  "withdrawal.returned": withdrawalEvent("withdrawal.returned", "returned", {
    id: "evt_019c1db2-4bb0-7424-8464-c4a49fe3d756",
    sequence: 8,
    created_at: "2026-02-02T09:32:30.000Z",
  }),
  "funding.completed": {
    type: "funding.completed",
    id: ID.fundingEvent,
    sequence: 1,
    created_at: INSTANT.funded,
    data: { funding: FUNDING, chain_head },
  },
  "funding.reversed": {
    type: "funding.reversed",
    id: "evt_019c18a5-1d00-7b52-9d07-51c7f04d3a6e",
    sequence: 5,
    created_at: "2026-02-01T10:00:00.000Z",
    data: { funding: { ...FUNDING, reversed_at: "2026-02-01T10:00:00.000Z" }, chain_head },
  },
  "credential.expiring": {
    type: "credential.expiring",
    id: "evt_019c1889-a5c0-78a8-b888-186878e3d7bb",
    sequence: 5,
    created_at: "2026-02-01T09:30:00.000Z",
    data: {
      credential: { kind: "certificate", id: DIGEST.certificate, expires_at: "2026-03-03T09:30:00.000Z" },
      chain_head,
    },
  },
  "webhook.test": {
    type: "webhook.test",
    id: "evt_019c1368-52d0-7f53-87ab-ffc3379b2f33",
    sequence: 5,
    created_at: "2026-01-31T09:35:30.000Z",
    data: { chain_head },
  },
} as const satisfies Record<WebhookEventType, WebhookEvent>;

const DELIVERED = {
  status: "delivered",
  next_attempt_at: null,
  attempts: [{ attempted_at: "2026-01-31T09:31:15.120Z", http_status: 204, duration_ms: 38 }],
} satisfies EventReply["delivery"];

const DUE = {
  status: "pending",
  next_attempt_at: INSTANT.read,
  attempts: [],
} satisfies EventReply["delivery"];

export const EVENT = { ...EVENTS["order.executed"], delivery: DELIVERED } satisfies EventReply;
export const EVENT_REDELIVERED = {
  ...EVENT,
  delivery: { ...DUE, attempts: DELIVERED.attempts },
} satisfies EventReply;
export const WEBHOOK_TEST = { ...EVENTS["webhook.test"], delivery: DUE } satisfies EventReply;
