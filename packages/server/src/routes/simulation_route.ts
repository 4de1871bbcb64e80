import {
  AMOUNT_MAX_HALALAS,
  emptyRequest,
  ID_PREFIX,
  simulateDepositRequest,
  simulateDepositReversalRequest,
  simulateEventRequest,
  simulateFailureRequest,
  simulateMarketRequest,
  simulatePricesRequest,
  simulateQuoteExpiryRequest,
  simulateWebhooksRequest,
  simulateWithdrawalRequest,
  SIMULATION_MAX_SECONDS,
  uuidOfId,
} from "@gold-partner/protocol";
import type { z } from "zod";
import { admitCaller } from "../admission/admit_caller.ts";
import { withoutSignature } from "../admission/admit_write.ts";
import { refuseQuery } from "../admission/query/read_query.ts";
import type { Deps } from "./deps.ts";
import type { Route } from "../http/context.ts";
import { jsonTextReply } from "../http/reply.ts";
import { writeRoute } from "./write_pipeline.ts";

/** The routes of the simulations. They exist only in the sandbox. */
export function simulationRoutes(deps: Deps) {
  /** `parametersOf` returns the parameters of book_simulation(). A malformed id becomes null. */
  const simulate = <Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    parametersOf: (asked: z.output<Schema>) => Readonly<Record<string, string | number | null>>,
  ): Route =>
    writeRoute(deps, {
      schema,
      admit: admitCaller,
      bodyIsOptional: name === "reset",
      authenticate: withoutSignature,
      book: async ({ write, asked }) => {
        const parameters = JSON.stringify(parametersOf(asked));
        const outcome = await deps.booking.simulate({ name, parameters, ...write });
        // Read the registry now, so that the next read in this process already applies the new state. Writes
        // apply it in every process; see arm_simulation().
        await deps.registry.refresh();
        return outcome;
      },
    });
  return {
    simulateWithdrawal: simulate("withdrawal", simulateWithdrawalRequest, ({ withdrawalId, outcome }) => ({
      id: uuidOfId(ID_PREFIX.withdrawal, withdrawalId) ?? null,
      outcome,
    })),
    simulateDeposit: simulate("deposit", simulateDepositRequest, ({ amountHalalas }) => ({
      // Replace an amount that may not fit into a column by the first amount above the maximum. The database
      // refuses both in the same way.
      amount: `${amountHalalas > AMOUNT_MAX_HALALAS ? AMOUNT_MAX_HALALAS + 1n : amountHalalas}`,
      maximum: `${AMOUNT_MAX_HALALAS}`,
    })),
    simulateDepositReversal: simulate(
      "deposit_reversal",
      simulateDepositReversalRequest,
      ({ fundingId }) => ({ id: uuidOfId(ID_PREFIX.funding, fundingId) ?? null }),
    ),
    simulateQuoteExpiry: simulate(
      "quote_expiry",
      simulateQuoteExpiryRequest,
      ({ quoteId }) => ({ id: uuidOfId(ID_PREFIX.quote, quoteId) ?? null }),
    ),
    simulateEvent: simulate("event", simulateEventRequest, (asked) => asked),
    simulateMarket: simulate(
      "market",
      simulateMarketRequest,
      ({ state, seconds }) => ({ state, lasts: seconds }),
    ),
    simulatePrices: simulate(
      "prices",
      simulatePricesRequest,
      ({ percent, seconds }) => ({ percent, lasts: seconds }),
    ),
    simulateFailure: simulate("failure", simulateFailureRequest, ({ count, ...failure }) => ({
      ...failure,
      remaining: count,
      lasts: SIMULATION_MAX_SECONDS,
    })),
    simulateWebhooks: simulate("webhooks", simulateWebhooksRequest, (webhooks) => ({
      ...webhooks,
      lasts: SIMULATION_MAX_SECONDS,
    })),
    resetSimulations: simulate("reset", emptyRequest, () => ({})),
    getSimulations: async (c) => {
      const { partner } = await admitCaller(c, deps);
      refuseQuery(c);
      return jsonTextReply(await deps.reads.simulations(partner.id), c.get("exchange"));
    },
  } satisfies Record<string, Route>;
}
