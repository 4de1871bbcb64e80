import type { OperationId } from "@gold-partner/protocol";
import type { Call, Caller } from "./caller_trial.ts";
import type { Mend } from "./disturbances_trial.ts";
import type { House } from "./house_trial.ts";

/** Who takes part when a refusal is staged. */
export interface Scene {
  readonly house: House;
  /** Has money and gold, and is left in peace. */
  readonly partner: Caller;
  /** Has money; its standing is what is tampered with. */
  readonly other: Caller;
  /** Has nothing until a way gives it something. */
  readonly poor: Caller;
  /** A door that does not wait for as long as a service may take. */
  readonly hastyDoor: number;
  /** A door with no service behind it. */
  readonly emptyDoor: number;
  /** A door that passes on what comes, whatever the service says of itself. */
  readonly trustingDoor: number;
}

/** A request that is refused, and that would be executed but for one thing. */
export interface Staged {
  readonly caller: Caller;
  /** The sound request. */
  readonly call: Call;
  /** What is wrong with it at first, where the fault is in the request itself. */
  readonly fault?: Call;
  /** Who sends the faulty one, where it is somebody else. */
  readonly from?: Caller;
  /** Takes the cause away, where it lies elsewhere. */
  readonly mend?: Mend;
}

type Stage = (scene: Scene) => Promise<Staged>;

/** How a code is reached. */
export interface Way {
  readonly operation: OperationId;
  /** The cause ends by itself after a second. */
  readonly fades?: true;
  readonly stage: Stage;
}

/** The smallest signed write. It can be executed any number of times, so what keeps it from being executed is the fault alone. */
export const WITHDRAWAL: Call = { body: { amount_sar: 1 } };
export const QUOTE: Call = { body: { side: "buy", gold_grams: 1 } };

export const withdrawal = (stage: Stage): Way => ({ operation: "createWithdrawal", stage });
export const order = (stage: Stage): Way => ({ operation: "createOrder", stage });
export const quote = (stage: Stage): Way => ({ operation: "createQuote", stage });

/** A withdrawal that is spoilt in one place. */
export const spoilt = (fault: Call): Way =>
  withdrawal(async ({ partner }) => ({ caller: partner, call: WITHDRAWAL, fault }));

/** Takes a quote, and gives the order for it. */
export async function orderOf(
  caller: Caller,
  side: "buy" | "sell",
  goldGrams: number,
): Promise<{ readonly body: { readonly quote_id: string } }> {
  const { quote_id } = await caller.succeed("createQuote", { body: { side, gold_grams: goldGrams } });
  return { body: { quote_id: quote_id as string } };
}
