import { setTimeout as sleep } from "node:timers/promises";
import {
  type AccountEvent,
  type GoldClient,
  type Grams,
  Quantity,
  type Sar,
  type SimulateEventRequest,
  type SimulateWithdrawalRequest,
  type WithdrawalCreated,
} from "@gold-partner/client";
import { similar } from "@gold-partner/command-line";
import type { Command, Invocation } from "../command.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { newestSequence } from "../newest_sequence.ts";
import { RECORD, RECORD_TERM, recordingClient } from "../record.ts";
import { optional } from "../values.ts";
import { eventRow } from "./events.ts";

/** The options --amount and --grams. At most one of them is given. */
interface Size {
  readonly amount?: Sar | undefined;
  readonly grams?: Grams | undefined;
}

interface Trigger {
  readonly takes: readonly (keyof Size)[];
  /** Makes the event happen. Each step uses the API as the partner's own program would. */
  readonly run: (client: GoldClient, size: Size) => Promise<unknown>;
}

const FUNDING = Quantity.sar("1000");
const WITHDRAWAL = Quantity.sar("1");
const ORDER = Quantity.grams("0.1");

/** Funds the sandbox with at least what the next step costs. */
const cover = (client: GoldClient, cost: Sar) =>
  client.fundSandbox({ amount_sar: cost.compare(FUNDING) > 0 ? cost : FUNDING });

const withdraw = async (client: GoldClient, { amount = WITHDRAWAL }: Size): Promise<WithdrawalCreated> => {
  await cover(client, amount);
  return await client.createWithdrawal({ amount_sar: amount });
};
const decide = (outcome: SimulateWithdrawalRequest["outcome"]): Trigger => ({
  takes: ["amount"],
  async run(client, size) {
    const { withdrawal_id } = await withdraw(client, size);
    await client.simulateWithdrawal({ withdrawal_id, outcome });
  },
});

const simulate = (type: SimulateEventRequest["type"]): Trigger => ({
  takes: [],
  run: (client) => client.simulateEvent({ type }),
});

/** How each type of event is produced. */
const TRIGGERS: Readonly<Record<string, Trigger>> = {
  "funding.completed": {
    takes: ["amount"],
    run: (client, { amount = FUNDING }) => client.fundSandbox({ amount_sar: amount }),
  },
  "order.executed": {
    takes: ["amount", "grams"],
    async run(client, { amount, grams = ORDER }) {
      const quote = await client.createQuote({
        side: "buy",
        ...(amount ? { amount_sar: amount } : { gold_grams: grams }),
      });
      await cover(client, quote.total_sar);
      await client.placeOrder(quote);
    },
  },
  "withdrawal.created": { takes: ["amount"], run: withdraw },
  "withdrawal.approved": decide("approved"),
  "withdrawal.submitted": decide("submitted"),
  "withdrawal.paid": decide("paid"),
  "withdrawal.rejected": decide("rejected"),
  "withdrawal.returned": decide("returned"),
  "withdrawal.cancelled": {
    takes: ["amount"],
    async run(client, size) {
      const { withdrawal_id } = await withdraw(client, size);
      await client.cancelWithdrawal(withdrawal_id);
    },
  },
  "funding.reversed": {
    takes: ["amount"],
    async run(client, { amount = FUNDING }) {
      const { funding_id } = await client.simulateDeposit({ amount_sar: amount });
      await client.simulateDepositReversal({ funding_id });
    },
  },
  "credential.added": simulate("credential.added"),
  "credential.expiring": simulate("credential.expiring"),
  "credential.ended": simulate("credential.ended"),
  "settlement.changed": simulate("settlement.changed"),
  "webhook_endpoint.changed": simulate("webhook_endpoint.changed"),
  "day.closed": simulate("day.closed"),
  "webhook.test": { takes: [], run: (client) => client.testWebhook() },
};

/** Reads --amount and --grams. Throws a usage error for one that the trigger does not take. */
function sizeOf(values: Invocation["values"], type: string, { takes }: Trigger): Size {
  const [amount, grams] = [optional(values, "amount"), optional(values, "grams")];
  const instead = takes.length === 0 ? "Leave it out." : "Give --amount.";
  if (amount !== undefined && !takes.includes("amount")) throw usage(`${type} takes no --amount. ${instead}`);
  if (grams !== undefined && !takes.includes("grams")) throw usage(`${type} takes no --grams. ${instead}`);
  if (amount !== undefined && grams !== undefined) throw usage("Give either --grams or --amount.");
  return {
    amount: amount === undefined ? undefined : above0("amount", amount, Quantity.sar),
    grams: grams === undefined ? undefined : above0("grams", grams, Quantity.grams),
  };
}

function above0<Read extends Quantity>(name: string, text: string, read: (text: string) => Read): Read {
  let quantity;
  try {
    quantity = read(text);
  } catch (error) {
    throw usage(`--${name} is not a quantity. ${(error as Error).message}`);
  }
  if (quantity.units > 0n) return quantity;
  throw usage(`--${name} must be above 0; got ${text}.`);
}

const NAMES = Object.keys(TRIGGERS);
const TYPES = NAMES.join(", ");
/** GET /v1/events lists a committed event at once. This limit ends the command if something is wrong. */
const LISTED_MAX_MS = 10_000;
const POLL_MS = 100;

export const TRIGGER: Command = {
  name: "trigger",
  usage: "TYPE [--amount SAR | --grams G] [--record FILE]",
  does: "makes an event happen in the sandbox, and shows it",
  help: `TYPE is one of ${TYPES}.\nThe events are real: an order moves the sandbox's money and gold. ` +
    `Before an order or a withdrawal, the sandbox is funded with ${FUNDING} SAR, or with its cost if that is more.`,
  terms: {
    Options: [
      [
        "--amount SAR",
        "the amount of the funding, withdrawal or order; default: 1000 for a funding, 1 for a withdrawal",
      ],
      ["--grams G", "the weight that order.executed buys; default: 0.1"],
      RECORD_TERM,
    ],
  },
  options: { amount: { type: "string" }, grams: { type: "string" }, ...RECORD },
  takes: ["TYPE"],
  async run(invocation) {
    const { values, positionals: [type], credentials } = invocation;
    const trigger = Object.hasOwn(TRIGGERS, type!) ? TRIGGERS[type!] : undefined;
    if (!trigger) {
      const meant = similar(type!.toLowerCase(), NAMES);
      const question = meant === undefined ? "" : ` Did you mean ${meant}?`;
      throw usage(`There is no trigger for ${type}.${question} Types: ${TYPES}.`);
    }
    const size = sizeOf(values, type!, trigger);
    const { client_id = "" } = await credentials();
    const opened = await recordingClient(invocation);
    if (!client_id.startsWith("sbx_")) {
      const message = `Only the sandbox has triggers: the client_id must begin with sbx_; got ${client_id}.`;
      throw new Failure(EXIT.refused, "sandbox_only", message);
    }
    const before = await newestSequence(opened);
    await trigger.run(opened, size);
    const event = await findEvent(opened, before, type!);
    return { reply: event, rows: [eventRow(event)] };
  },
};

async function findEvent(client: GoldClient, after: number, type: string): Promise<AccountEvent> {
  const endMs = performance.now() + LISTED_MAX_MS;
  do {
    for await (const event of client.listEvents({ after })) if (event.type === type) return event;
    await sleep(POLL_MS);
  } while (performance.now() < endMs);
  const message =
    `${type} was triggered, but the service did not list it within ${LISTED_MAX_MS / 1000} s. ` +
    "Look for it later with `gold-partner events`.";
  throw new Failure(EXIT.dependency, "event_not_listed", message);
}
