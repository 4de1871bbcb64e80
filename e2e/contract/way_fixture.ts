import type { OperationId } from "@gold-partner/protocol";
import type { Call, Caller } from "./caller_fixture.ts";
import type { Mend } from "./disturbances_fixture.ts";
import type { Stack } from "./stack_fixture.ts";

/** The partners and ports that are used to cause a refusal. */
export interface Setup {
  readonly stack: Stack;
  /** Has money and gold. No test changes its settings. */
  readonly partner: Caller;
  /** Has money. Tests change its settings. */
  readonly other: Caller;
  /** Has nothing until a test gives it something. */
  readonly poor: Caller;
  /**
   * The port of a gateway with short timeouts. With Envoy, the usual port, because Envoy's timeouts are
   * fixed.
   */
  readonly proxyWithShortTimeouts: number;
  /** The port of a gateway or Envoy with no service behind it. */
  readonly proxyWithoutService: number;
  /** The port of a gateway or Envoy that forwards every request, even if the service is not ready. */
  readonly proxyWithoutHealthCheck: number;
}

/** A request that is refused for exactly one reason. */
export interface Staged {
  readonly caller: Caller;
  /** The valid request. */
  readonly call: Call;
  /** The changes that make the request invalid, if the cause is in the request itself. */
  readonly fault?: Call;
  /** Sends the refused request. Absent if `caller` sends it. */
  readonly from?: Caller;
  /** Removes the cause, if the cause is not in the request. */
  readonly mend?: Mend;
}

type Stage = (setup: Setup) => Promise<Staged>;

/** A way to cause a refusal with one error code. */
export interface Way {
  readonly operation: OperationId;
  /** The cause ends by itself after a second. */
  readonly fades?: true;
  readonly stage: Stage;
}

/** The smallest signed write. It can be executed any number of times, so only the fault can prevent it. */
export const WITHDRAWAL: Call = { body: { amount_sar: 1 } };
export const QUOTE: Call = { body: { side: "buy", gold_grams: 1 } };

export const withdrawal = (stage: Stage): Way => ({ operation: "createWithdrawal", stage });
export const order = (stage: Stage): Way => ({ operation: "createOrder", stage });
export const quote = (stage: Stage): Way => ({ operation: "createQuote", stage });

/** A withdrawal with one fault. */
export const spoilt = (fault: Call): Way =>
  withdrawal(async ({ partner }) => ({ caller: partner, call: WITHDRAWAL, fault }));

/** Requests a quote, and returns the order for it. */
export async function orderOf(
  caller: Caller,
  side: "buy" | "sell",
  goldGrams: number,
): Promise<{ readonly body: { readonly quote_id: string } }> {
  const { quote_id } = await caller.succeed("createQuote", { body: { side, gold_grams: goldGrams } });
  return { body: { quote_id: quote_id as string } };
}
