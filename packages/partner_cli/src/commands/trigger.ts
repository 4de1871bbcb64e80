import { setTimeout as sleep } from "node:timers/promises";
import type {
  AccountEvent,
  GoldClient,
  SimulateWithdrawalRequest,
  WithdrawalCreated,
} from "@gold-partner/client";
import type { Command } from "../command.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { newestSequence } from "../newest_sequence.ts";
import { RECORD, RECORD_TERM, recordingClient } from "../record.ts";
import { eventRow } from "./events.ts";

/** Makes the event happen. Each step uses the API as the partner's own program would. */
type Trigger = (client: GoldClient) => Promise<unknown>;

const fund: Trigger = (client) => client.fundSandbox({ amount_sar: "1000" });

const withdraw = async (client: GoldClient): Promise<WithdrawalCreated> => {
  await fund(client);
  return await client.createWithdrawal({ amount_sar: "1" });
};
const decide = (outcome: SimulateWithdrawalRequest["outcome"]): Trigger => async (client) => {
  const { withdrawal_id } = await withdraw(client);
  await client.simulateWithdrawal({ withdrawal_id, outcome });
};

/** How each type of event is produced. */
const TRIGGERS: Readonly<Record<string, Trigger>> = {
  "funding.completed": fund,
  "order.executed": async (client) => {
    await fund(client);
    const { quote_id } = await client.createQuote({ side: "buy", gold_grams: "0.1" });
    await client.placeOrder({ quote_id });
  },
  "withdrawal.created": withdraw,
  "withdrawal.approved": decide("approved"),
  "withdrawal.submitted": decide("submitted"),
  "withdrawal.paid": decide("paid"),
  "withdrawal.rejected": decide("rejected"),
  "withdrawal.returned": decide("returned"),
  "funding.reversed": async (client) => {
    const { funding_id } = await client.simulateDeposit({ amount_sar: "1000" });
    await client.simulateDepositReversal({ funding_id });
  },
  "webhook.test": (client) => client.testWebhook(),
};

const TYPES = Object.keys(TRIGGERS).join(", ");
/** GET /v1/events lists a committed event at once. This limit ends the command if something is wrong. */
const LISTED_MAX_MS = 10_000;
const POLL_MS = 100;

export const TRIGGER: Command = {
  name: "trigger",
  usage: "TYPE [--record FILE]",
  does: "makes an event happen in the sandbox, and shows it",
  help: `TYPE is one of ${TYPES}.\nThe events are real: an order moves the sandbox's money and gold.`,
  terms: { Options: [RECORD_TERM] },
  options: RECORD,
  takes: ["TYPE"],
  async run(invocation) {
    const { positionals: [type], credentials } = invocation;
    const trigger = Object.hasOwn(TRIGGERS, type!) ? TRIGGERS[type!] : undefined;
    if (!trigger) throw usage(`There is no trigger for ${type}. Types: ${TYPES}.`);
    const { client_id = "" } = await credentials();
    const opened = await recordingClient(invocation);
    if (!client_id.startsWith("sbx_")) {
      const message = `Only the sandbox has triggers: the client_id must begin with sbx_; got ${client_id}.`;
      throw new Failure(EXIT.refused, "sandbox_only", message);
    }
    const before = await newestSequence(opened);
    await trigger(opened);
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
