// Simulations: events that a partner of the sandbox can cause for itself. Production has none of these
// operations.
import { JsonNumber } from "@gold-partner/canonical";
import { z } from "zod";
import { PROBLEM_REGISTRY, type ProblemCode } from "../problem_registry.ts";
import { parseSignedDecimal, QuantityError } from "../quantity.ts";
import { amountParam } from "./quantity.ts";
import { requestBody } from "./request_body.ts";
import { idText, instant, openText } from "./text.ts";

/** A lasting simulation ends after this time at the latest. */
export const SIMULATION_MAX_SECONDS = 600;
const SIMULATION_DEFAULT_SECONDS = 60;
const COUNT_MAX = 10;
const HANG = { default: 5, maximum: 30 } as const;
const LATE = { default: 5, maximum: 60 } as const;

/** A whole number in a body. */
function wholeNumber(
  { minimum, maximum, ...meta }: { minimum: number; maximum: number; default?: number; description: string },
): z.ZodPipe<z.ZodUnknown, z.ZodTransform<number, unknown>> {
  return z.unknown().meta({ type: "integer", minimum, maximum, ...meta }).transform((value, context) => {
    const number = readInteger(value);
    if (number !== undefined && number >= minimum && number <= maximum) return number;
    const message = `This must be a whole number from ${minimum} to ${maximum}.`;
    context.issues.push({ code: "custom", input: value, message });
    return z.NEVER;
  });
}

function readInteger(value: unknown): number | undefined {
  if (!(value instanceof JsonNumber)) return undefined;
  try {
    const whole = parseSignedDecimal(value.source, 0n);
    return Number(whole);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return undefined;
  }
}

function oneOf<const Values extends readonly [string, ...string[]]>(
  name: string,
  values: Values,
  description: string,
): z.ZodEnum<{ [Value in Values[number]]: Value }> {
  return z.enum(values, { error: `${name} must be one of ${values.join(", ")}.` }).meta({ description });
}

const secondsParam = wholeNumber({
  minimum: 1,
  maximum: SIMULATION_MAX_SECONDS,
  default: SIMULATION_DEFAULT_SECONDS,
  description: "For how long.",
});
const countParam = (what: string) =>
  wholeNumber({ minimum: 1, maximum: COUNT_MAX, default: 1, description: `How many ${what}.` });
const idParam = (name: string, description: string) =>
  z.string({ error: `${name} must be a string.` }).meta({ description });

export const simulateWithdrawalRequest = requestBody({
  id: "SimulateWithdrawalRequest",
  description: "One of your withdrawals, and the status that it should reach.",
}, {
  withdrawal_id: idParam("withdrawal_id", "The withdrawal."),
  outcome: oneOf(
    "outcome",
    ["approved", "submitted", "paid", "rejected", "returned"],
    "The status to reach. The withdrawal also takes all earlier steps, each with its event.",
  ),
}).transform(({ withdrawal_id, outcome }) => ({ withdrawalId: withdrawal_id, outcome }));

export const simulateDepositRequest = requestBody({
  id: "SimulateDepositRequest",
  description: "A simulated bank transfer to your account.",
}, { amount_sar: amountParam }).transform(({ amount_sar }) => ({ amountHalalas: amount_sar }));

export const simulateDepositReversalRequest = requestBody({
  id: "SimulateDepositReversalRequest",
  description: "One of your fundings that came from a simulated bank transfer.",
}, { funding_id: idParam("funding_id", "The funding.") })
  .transform(({ funding_id }) => ({ fundingId: funding_id }));

const marketState = ["closed", "price_stale", "vault_short", "withdrawals_spent", "normal"] as const;

export const simulateMarketRequest = requestBody({
  id: "SimulateMarketRequest",
  description: "A state of the market, which only you see.",
}, {
  state: oneOf(
    "state",
    marketState,
    "closed: quotes get market_closed. price_stale: quotes get price_unavailable. vault_short: buy orders " +
      "get insufficient_inventory. withdrawals_spent: withdrawals get withdrawal_limit_exceeded. normal: ends " +
      "the simulation.",
  ),
  seconds: secondsParam.optional(),
}).transform(({ state, seconds = SIMULATION_DEFAULT_SECONDS }) => ({ state, seconds }));

export const simulatePricesRequest = requestBody({
  id: "SimulatePricesRequest",
  description: "A change of prices, which only you see.",
}, {
  percent: wholeNumber({
    minimum: -50,
    maximum: 50,
    description: "By how many percent your prices rise, or fall if the value is negative. Must not be 0.",
  }).refine(
    (percent) => percent !== 0,
    "percent must not be 0; POST /sandbox/simulate/reset ends the change.",
  ),
  seconds: secondsParam.optional(),
}).transform(({ percent, seconds = SIMULATION_DEFAULT_SECONDS }) => ({ percent, seconds }));

export const simulateQuoteExpiryRequest = requestBody({
  id: "SimulateQuoteExpiryRequest",
  description: "One of your quotes, which expires now.",
}, { quote_id: idParam("quote_id", "The quote.") }).transform(({ quote_id }) => ({ quoteId: quote_id }));

const simulatedEvent = [
  ...["credential.added", "credential.expiring", "credential.ended"] as const,
  ...["settlement.changed", "webhook_endpoint.changed", "day.closed"] as const,
] as const;

export const simulateEventRequest = requestBody({
  id: "SimulateEventRequest",
  description: "An event that otherwise only the operator's people or the calendar cause.",
}, {
  type: oneOf(
    "type",
    simulatedEvent,
    "credential.added: a client secret that nobody knows is registered for you, and ends in 90 days. " +
      "credential.expiring: such a secret is registered that ends in a day. credential.ended: such a secret " +
      "ends now. settlement.changed, webhook_endpoint.changed: your IBAN or your webhook URL is registered " +
      "again and stays the same. day.closed: your newest past day that is open is closed.",
  ),
});

/** A simulated refusal stores nothing, so only the refusals that store nothing can be simulated. */
const REFUSALS = Object.entries(PROBLEM_REGISTRY)
  .filter(([, { binds_key, spends_nonce }]) => binds_key === false && spends_nonce !== true)
  .map(([code]) => code) as [ProblemCode, ...ProblemCode[]];

const CODE_OF = {
  rate_limited: "rate_limited",
  unavailable: "service_unavailable",
  timeout: "upstream_timeout",
  refused: null,
  hang: null,
  lost_reply: null,
} as const satisfies Record<string, ProblemCode | null>;
type FailureKind = keyof typeof CODE_OF;
const failureKind = Object.keys(CODE_OF) as [FailureKind, ...FailureKind[]];

/** An active failure. If it has a code, the request is refused with this code and nothing is executed. */
export interface SimulatedFailure {
  readonly kind: FailureKind;
  readonly code: ProblemCode | null;
  readonly seconds: number | null;
  readonly count: number;
}

export const simulateFailureRequest = requestBody({
  id: "SimulateFailureRequest",
  description: "What happens to your next requests.",
}, {
  kind: oneOf(
    "kind",
    failureKind,
    "rate_limited, unavailable, timeout: the request is not executed and gets 429 rate_limited, 503 " +
      "service_unavailable or 504 upstream_timeout. refused: the request is not executed and gets the " +
      "`code`. hang: the request is executed, and its reply comes after `seconds`. lost_reply: the request " +
      "is executed, and the service closes the connection instead of replying; you get 503 " +
      "upstream_unavailable from the proxy.",
  ),
  code: z.enum(REFUSALS, {
    error:
      "code must be a refusal that stores nothing, such as token_expired; the API description lists them.",
  })
    .meta({
      description:
        "Only with refused. The next request to an operation that documents this code gets it; other " +
        "requests are served.",
    }).optional(),
  seconds: wholeNumber({
    minimum: 1,
    maximum: HANG.maximum,
    default: HANG.default,
    description: "Only with hang.",
  }).optional(),
  count: countParam("requests").optional(),
}).transform(({ kind, code, seconds, count = 1 }, context): SimulatedFailure => {
  const refuse = (member: string, message: string) => {
    context.issues.push({ code: "custom", input: undefined, path: [member], message });
    return z.NEVER;
  };
  if ((kind === "refused") !== (code !== undefined)) {
    return refuse("code", "code is required for the kind refused, and must be left out for any other kind.");
  }
  if (kind !== "hang" && seconds !== undefined) {
    return refuse("seconds", `seconds is allowed only for the kind hang; leave it out for ${kind}.`);
  }
  const hangs = kind === "hang" ? seconds ?? HANG.default : null;
  return { kind, code: code ?? CODE_OF[kind], seconds: hangs, count };
});

const webhookKind = ["twice", "late", "out_of_order", "other_secret"] as const;

/** An active change of the delivery of webhooks. */
export interface SimulatedWebhooks {
  readonly kind: (typeof webhookKind)[number];
  readonly seconds: number | null;
  readonly count: number;
}

export const simulateWebhooksRequest = requestBody({
  id: "SimulateWebhooksRequest",
  description: "How your next events are delivered to your webhook endpoint.",
}, {
  kind: oneOf(
    "kind",
    webhookKind,
    "twice: each event is sent twice. late: each event is sent `seconds` late. out_of_order: every other " +
      "event, beginning with the next one, is sent 5 seconds late, so that the event after it overtakes " +
      "it. other_secret: the first attempt of each event is signed with the other secret alone.",
  ),
  count: countParam("events").optional(),
  seconds: wholeNumber({
    minimum: 1,
    maximum: LATE.maximum,
    default: LATE.default,
    description: "Only with late.",
  }).optional(),
}).transform(({ kind, count = 1, seconds }, context): SimulatedWebhooks => {
  if (kind !== "late" && seconds !== undefined) {
    context.issues.push({
      code: "custom",
      input: undefined,
      path: ["seconds"],
      message: `seconds is allowed only for the kind late; leave it out for ${kind}.`,
    });
    return z.NEVER;
  }
  return { kind, count, seconds: kind === "late" ? seconds ?? LATE.default : null };
});

export const simulatedEventReply = z.object({
  id: idText("evt_").meta({ description: "The event." }),
  type: openText(simulatedEvent, "Its type."),
  sequence: z.int().positive().meta({ description: "Its number among your events." }),
  created_at: instant.meta({ description: "When it happened." }),
}).meta({ id: "SimulatedEvent", description: "The event that happened, without its data." });

const until = instant.meta({ description: "When the simulation ends by itself." });
const remaining = (what: string) => z.int().meta({ description: `How many more ${what} it affects.` });

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

export const simulationsReply = z.object({
  market: described(
    z.object({ state: openText(marketState, "The state of your market."), until }).nullable(),
    "The state of the market that is simulated; null: none.",
  ),
  prices: described(
    z.object({
      percent: described(z.int(), "By how much your prices are higher, or lower if negative."),
      until,
    })
      .nullable(),
    "The change of prices that is simulated; null: none.",
  ),
  failure: described(
    z.object({
      kind: openText(failureKind, "What happens to the requests."),
      code: described(z.string().nullable(), "The error code that they get; null: they are executed."),
      seconds: described(z.int().nullable(), "How long a reply is delayed; null: not at all."),
      remaining: remaining("requests"),
      until,
    }).nullable(),
    "What happens to your next requests; null: nothing.",
  ),
  webhooks: described(
    z.object({
      kind: openText(webhookKind, "What happens to the events."),
      seconds: described(z.int().nullable(), "How long an event is delayed; null: not at all."),
      remaining: remaining("events"),
      until,
    }).nullable(),
    "What happens to the delivery of your next events; null: nothing.",
  ),
}).meta({
  id: "Simulations",
  description: "Your active simulations; a member is null if there is no such simulation.",
});
export type SimulationsReply = z.infer<typeof simulationsReply>;
