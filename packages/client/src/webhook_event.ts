// What happened, as a webhook brings it and as the list of events tells it.
import type { Delivery, ExpiringCredential, Funding, Order, Withdrawal } from "./reply.ts";

interface EventOf<Type extends string, Subject = unknown> {
  type: Type;
  /** The same at every attempt, so a second delivery is known by it. */
  id: string;
  /** Per partner, without gaps: a gap is an event still to come. */
  sequence: number;
  created_at: string;
  data: Subject & {
    /** The head of your hash chain at this event. Keep it: it proves the history up to here. */
    chain_head: string;
  };
}

type WithdrawalStep = "created" | "approved" | "submitted" | "paid" | "rejected" | "returned";

/**
 * What happened, told apart by `type`. A type that is added later comes through, too, though none of these names it:
 * acknowledge it, and let it be.
 */
export type WebhookEvent =
  | EventOf<"order.executed", { order: Order }>
  | EventOf<`withdrawal.${WithdrawalStep}`, { withdrawal: Withdrawal }>
  | EventOf<"funding.completed" | "funding.reversed", { funding: Funding }>
  | EventOf<"credential.expiring", { credential: ExpiringCredential }>
  | EventOf<"webhook.test">;

/** What happened, and how its webhook went. */
export type AccountEvent = WebhookEvent & { delivery: Delivery };
