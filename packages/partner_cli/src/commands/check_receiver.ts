import { parseWebhookSecret } from "@gold-partner/protocol";
import type { Command } from "../command.ts";
import { memberOf } from "../credentials.ts";
import { TestSender } from "../receiver/test_sender.ts";
import { checkReceiver } from "../receiver/check_receiver.ts";
import { ReceiverLog } from "../receiver/log.ts";
import { CA_TERM, optional, receiverOf, required, wholeNumber } from "../values.ts";

export const CHECK_RECEIVER: Command = {
  name: "check-receiver",
  usage: "URL [--log FILE] [--next SEQUENCE] [--ca FILE]",
  does: "sends correct and incorrect deliveries to a webhook receiver of yours, and says what it did wrong",
  help:
    "It delivers events with invented orders. Some are correct and signed with your webhook_secret. Others are " +
    "forged, stale, repeated, out of order, after a gap, filtered, oversized or of an unknown type. Run it against a " +
    "receiver with a database of its own, never against one that serves production: the receiver would process " +
    "the orders. It does not call the service.",
  terms: {
    Options: [
      [
        "--log FILE",
        "a file in which the receiver writes a line with the event's id when, and only when, it processes an " +
        "event. Without it, only the answers are checked",
      ],
      ["--next SEQUENCE", "the sequence number that the receiver expects next; default: 1"],
      CA_TERM,
    ],
  },
  options: {
    log: { type: "string" },
    next: { type: "string", default: "1" },
    ca: { type: "string" },
  },
  takes: ["URL"],
  async run({ values, positionals: [text], credentials, path, now }) {
    const log = optional(values, "log");
    const receiver = await receiverOf(text!, { values, path });
    const given = await credentials();
    const secret = memberOf(given, "webhook_secret");
    parseWebhookSecret(secret);
    const sender = new TestSender({
      ...{ receiver, secret, now, clientId: given.client_id },
      log: log === undefined ? undefined : new ReceiverLog(path(log)),
      next: wholeNumber(required(values, "next"), "next", 1),
    });
    return { findings: checkReceiver(sender) };
  },
};
