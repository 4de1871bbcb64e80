import { setTimeout as sleep } from "node:timers/promises";
import type { GoldClient } from "@gold-partner/client";
import { parseWebhookSecret } from "@gold-partner/protocol";
import type { Command, Row, Terminal } from "../command.ts";
import { memberOf } from "../credentials.ts";
import { newestSequence } from "../newest_sequence.ts";
import { fold, wireJson } from "../output.ts";
import { deliver, type Receiver, signedMessage } from "../receiver/deliver.ts";
import { CA_TERM, optional, receiverOf, required, wholeNumber } from "../values.ts";

const POLL_MS = 1_000;

export const LISTEN: Command = {
  name: "listen",
  usage: "--forward URL [--after SEQUENCE] [--ca FILE]",
  does: "delivers each new event to your receiver, signed with your webhook_secret as the service signs it",
  help:
    "It follows GET /v1/events and delivers each event once, in order, until you end it with Ctrl-C. Each line " +
    "shows sequence, type, id and the answer. A failed delivery is not repeated. To repeat it, start the " +
    "command again with --after.",
  terms: {
    Options: [
      ["--forward URL", "the receiver, such as http://localhost:3000/webhooks"],
      [
        "--after SEQUENCE",
        "start after this event; default: the newest event, so that only new ones are delivered",
      ],
      CA_TERM,
    ],
  },
  options: { forward: { type: "string" }, after: { type: "string" }, ca: { type: "string" } },
  async run({ values, client, credentials, path, ...terminal }) {
    const receiver = await receiverOf(required(values, "forward"), { values, path });
    const secret = memberOf(await credentials(), "webhook_secret");
    parseWebhookSecret(secret);
    const from = optional(values, "after");
    const after = from === undefined ? undefined : wholeNumber(from, "after", 0);
    return { lines: forward({ client: await client(), receiver, secret, after, terminal }) };
  },
};

interface Plan {
  readonly client: GoldClient;
  readonly receiver: Receiver;
  readonly secret: string;
  readonly after: number | undefined;
  readonly terminal: Pick<Terminal, "err" | "errorScreen" | "now" | "untilStopped">;
}

async function* forward({ client, receiver, secret, after: from, terminal }: Plan): AsyncGenerator<Row> {
  const signal = terminal.untilStopped();
  try {
    let after = from ?? await newestSequence(client, signal);
    terminal.err(
      fold(`Delivering the events after ${after} to ${receiver.url}. Ctrl-C ends it.`, terminal.errorScreen),
    );
    for (;;) {
      for await (const { delivery: _, line: __, ...event } of client.listEvents({ after }, { signal })) {
        const timestamp = Math.floor(terminal.now() / 1000);
        const message = signedMessage(event.id, wireJson(event), [secret], timestamp);
        const { status, error = null } = await deliver(receiver, message);
        yield { sequence: event.sequence, type: event.type, event_id: event.id, http_status: status, error };
        after = event.sequence;
        if (signal.aborted) return;
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
