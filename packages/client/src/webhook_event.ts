// The events that webhooks deliver and that the list of events returns.
import type { Delivery, ExpiringCredential, Funding, Order, Withdrawal } from "./reply.ts";

interface EventOf<Type extends string, Subject = unknown> {
  type: Type;
  /** The same at every attempt. A receiver recognises a repeated delivery by this id. */
  id: string;
  /** Numbers the partner's events without gaps. If a number is missing, its event is still to come. */
  sequence: number;
  created_at: string;
  data: Subject & {
    /** The head of your hash chain at this event. Keep it: it proves the history up to here. */
    chain_head: string;
  };
}

type WithdrawalStep = "created" | "approved" | "submitted" | "paid" | "rejected" | "returned";

/**
 * An event. Its `type` decides which members it has. The service may add types that are missing here:
 * acknowledge such an event and ignore it.
 */
export type WebhookEvent =
  | EventOf<"order.executed", { order: Order }>
  | EventOf<`withdrawal.${WithdrawalStep}`, { withdrawal: Withdrawal }>
  | EventOf<"funding.completed" | "funding.reversed", { funding: Funding }>
  | EventOf<"credential.expiring", { credential: ExpiringCredential }>
  | EventOf<"webhook.test">;

/** An event and the state of its delivery by webhook. */
export type AccountEvent = WebhookEvent & { delivery: Delivery };
