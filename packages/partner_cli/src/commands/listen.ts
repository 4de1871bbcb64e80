import type { AccountEvent, GoldClient } from "@gold-partner/client";
import { similar } from "@gold-partner/command-line";
import { parseWebhookSecret } from "@gold-partner/protocol";
import type { Command, Invocation, Row, Terminal } from "../command.ts";
import { memberOf } from "../credentials.ts";
import { usage } from "../failure.ts";
import { outageOptions } from "../outage_options.ts";
import { newestSequence } from "../newest_sequence.ts";
import { fold, wireJson } from "../output.ts";
import { deliver, type Receiver, signedMessage } from "../receiver/deliver.ts";
import { CA_TERM, optional, receiverOf, required, wholeNumber } from "../values.ts";

const TYPES = Object.keys(
  {
    "order.executed": true,
    "withdrawal.created": true,
    "withdrawal.approved": true,
    "withdrawal.submitted": true,
    "withdrawal.paid": true,
    "withdrawal.rejected": true,
    "withdrawal.returned": true,
    "withdrawal.cancelled": true,
    "funding.completed": true,
    "funding.reversed": true,
    "credential.expiring": true,
    "credential.added": true,
    "credential.ended": true,
    "settlement.changed": true,
    "webhook_endpoint.changed": true,
    "day.closed": true,
    "webhook.test": true,
  } satisfies Readonly<Record<AccountEvent["type"], true>>,
);

const matches = (type: string, pattern: string): boolean =>
  pattern.endsWith(".*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;

/** Reads --type. Throws a usage error for a pattern that no event can match. */
function patternsOf({ type = [] }: Invocation["values"]): readonly string[] {
  const patterns = type as readonly string[];
  const wrong = patterns.find((pattern) => !TYPES.some((one) => matches(one, pattern)));
  if (wrong === undefined) return patterns;
  const meant = similar(wrong.toLowerCase(), TYPES);
  const question = meant === undefined ? "" : `Did you mean ${meant}? `;
  throw usage(
    `--type must be a type of event, or the beginning of types, such as withdrawal.*; got "${wrong}". ` +
      `${question}Types: ${TYPES.join(", ")}.`,
  );
}

export const LISTEN: Command = {
  name: "listen",
  usage: "--forward URL [--type TYPE]… [--after SEQUENCE] [--ca FILE]",
  does: "delivers each new event to your receiver, signed with your webhook_secret as the service signs it",
  help:
    "It follows GET /v1/events/stream and delivers each event once, in order, until you end it with Ctrl-C. Each line " +
    "shows sequence, type, id and the answer. In an outage of the service it waits. A failed delivery is not " +
    "repeated. To repeat it, start the command again with --after.",
  terms: {
    Options: [
      ["--forward URL", "the receiver, such as http://localhost:3000/webhooks"],
      [
        "--after SEQUENCE",
        "start after this event; default: the newest event, so that only new ones are delivered",
      ],
      [
        "--type TYPE",
        "deliver only events of this type, such as order.executed, or of all types with one beginning, such as " +
        "'withdrawal.*'. It may be given several times. previous_sequence of an event is then the number of the " +
        "event that was delivered before it, as at an endpoint with a filter.",
      ],
      CA_TERM,
    ],
  },
  options: {
    forward: { type: "string" },
    type: { type: "string", multiple: true },
    after: { type: "string" },
    ca: { type: "string" },
  },
  async run({ values, client, credentials, path, ...terminal }) {
    const patterns = patternsOf(values);
    const receiver = await receiverOf(required(values, "forward"), { values, path });
    const given = await credentials();
    const [secret, clientId] = [memberOf(given, "webhook_secret"), memberOf(given, "client_id")];
    parseWebhookSecret(secret);
    const from = optional(values, "after");
    const after = from === undefined ? undefined : wholeNumber(from, "after", 0);
    const opened = await client(outageOptions(terminal));
    return { lines: forward({ client: opened, receiver, secret, clientId, after, patterns, terminal }) };
  },
};

interface Plan {
  readonly client: GoldClient;
  readonly receiver: Receiver;
  readonly secret: string;
  readonly clientId: string;
  readonly after: number | undefined;
  /** Without one, every event is delivered. */
  readonly patterns: readonly string[];
  readonly terminal: Pick<Terminal, "err" | "errorScreen" | "now" | "untilStopped">;
}

async function* forward(
  { client, receiver, secret, clientId, after: from, patterns, terminal }: Plan,
): AsyncGenerator<Row> {
  const signal = terminal.untilStopped();
  try {
    const after = from ?? await newestSequence(client, signal);
    const events = patterns.length === 0 ? "the events" : `the events of type ${patterns.join(", ")}`;
    const text = `Delivering ${events} after ${after} to ${receiver.url}. Ctrl-C ends it.`;
    terminal.err(fold(text, terminal.errorScreen));
    // The stream has no previous_sequence, because it has no filter, and no client_id. The receiver has none
    // of the events before the first one, so the first one has previous_sequence null.
    let previous: number | null = null;
    for await (const event of client.streamEvents({ after }, { signal })) {
      if (patterns.length > 0 && !patterns.some((pattern) => matches(event.type, pattern))) continue;
      const timestamp = Math.floor(terminal.now() / 1000);
      const body = wireJson({ ...event, previous_sequence: previous, client_id: clientId });
      previous = event.sequence;
      const message = signedMessage(event.id, body, [secret], timestamp);
      const { status, error = null } = await deliver(receiver, message);
      yield { sequence: event.sequence, type: event.type, event_id: event.id, http_status: status, error };
      if (signal.aborted) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
