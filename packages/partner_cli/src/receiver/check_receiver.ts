import type { Finding } from "../command.ts";
import { EXIT } from "../failure.ts";
import type { DeliveryOptions, TestEvent, TestSender } from "./test_sender.ts";
import { answerText, isAccepted } from "./deliver.ts";

/** The message says what the receiver did wrong. */
class CheckFailed extends Error {}

interface Check {
  readonly check: string;
  /**
   * Returns what the receiver did right, or undefined if only a log could show that and there is none. Throws
   * CheckFailed if the receiver did something wrong.
   */
  readonly run: (sender: TestSender) => Promise<string | undefined>;
  readonly cure: string;
}

/**
 * The checks. Forged, stale and oversized deliveries come last, so that a receiver that accepts them does not
 * disturb the other checks.
 */
const CHECKS: readonly Check[] = [
  {
    check: "delivery",
    run: async (sender) => {
      const event = sender.take();
      await expectAccepted(sender, event, "a correct delivery");
      const seen = await sender.log?.await([event.id]);
      if (seen?.length === 0) {
        throw new CheckFailed(`answered 2xx, but wrote no line with ${event.id} to the log`);
      }
      return "accepts a correct delivery";
    },
    cure:
      "Answer 2xx within 15 s to a delivery that is signed with webhook_secret. If the receiver expects a " +
      "certain sequence number, pass it as --next.",
  },
  {
    check: "duplicated",
    run: async (sender) => {
      const event = sender.take();
      // The service signs each attempt at its own time, so a repeated event has another signature.
      await expectAccepted(sender, event, "the first delivery", { ageSeconds: RETRY_SECONDS });
      const once = await sender.log?.await([event.id]);
      await expectAccepted(sender, event, "a repeated delivery");
      await sender.log?.settle();
      const seen = await sender.log?.processed([event.id]);
      if (seen && seen.length > once!.length) {
        throw new CheckFailed("processed a repeated event a second time");
      }
      return seen ? "processes a repeated event once" : `accepts a repeated event${UNSEEN}`;
    },
    cure:
      "Make the event's id the key of the table that stores it; answer 2xx to a repeated event and change nothing.",
  },
  {
    check: "unknown type",
    run: async (sender) => {
      const [unknown, next] = [sender.take("vault.audited"), sender.take()];
      await expectAccepted(sender, unknown, "an event of an unknown type");
      await expectAccepted(sender, next, "the event after one of an unknown type");
      const seen = await sender.log?.await([next.id]);
      if (seen?.length === 0) {
        sender.reopen(unknown);
        throw new CheckFailed("accepted an event of an unknown type, but never processed the event after it");
      }
      return "accepts a type that it does not know";
    },
    cure:
      "Answer 2xx to types that you do not know, and count their sequence as processed: later versions of the " +
      "service add types.",
  },
  {
    check: "two secrets",
    run: async (sender) => {
      const [own, other] = [sender.secret, sender.foreign];
      const first = "a delivery whose first signature is by another secret";
      await expectAccepted(sender, sender.take(), first, { secrets: [other, own] });
      const second = "a delivery whose second signature is by another secret";
      await expectAccepted(sender, sender.take(), second, { secrets: [own, other] });
      return "accepts a delivery if any of its signatures matches";
    },
    cure:
      "Compare every signature in webhook-signature: during a rotation there are several, separated by spaces.",
  },
  {
    check: "raw body",
    run: async (sender) => {
      const event = sender.take();
      const body = JSON.stringify(JSON.parse(event.body), null, 2);
      await expectAccepted(sender, { ...event, body }, "a body with unusual whitespace, correctly signed");
      return "verifies the bytes that it received";
    },
    cure:
      "Verify the raw body, before any parser. JSON that was parsed and written again has different bytes.",
  },
  {
    check: "reordered",
    run: async (sender) => {
      const [early, late] = [sender.take(), sender.take()];
      await expectAccepted(sender, late, "an event that arrived before its predecessor");
      await expectAccepted(sender, early, "an event that arrived after its successor");
      return await expectInOrder(sender, early, late) ?? `accepts events out of order${UNSEEN}`;
    },
    cure: "Store each event and answer 2xx; process the stored events in the order of sequence.",
  },
  {
    check: "gap",
    run: async (sender) => {
      const [early, late] = [sender.take(), sender.take()];
      await expectAccepted(sender, late, "an event after a gap");
      await sender.log?.settle();
      const seen = await sender.log?.processed([late.id]);
      await expectAccepted(sender, early, "the event that fills the gap");
      if (seen?.length) {
        throw new CheckFailed(`processed event ${late.sequence} while ${early.sequence} was missing`);
      }
      return await expectInOrder(sender, early, late) && "waits until the missing event has arrived";
    },
    cure:
      "Process an event only after the event that its previous_sequence names, or fetch the missing events: " +
      "GET /v1/events?after=.",
  },
  {
    check: "filtered",
    run: async (sender) => {
      const first = sender.take();
      const second = sender.takeAfterGap(FILTERED, first);
      const third = sender.takeAfterGap(FILTERED, null);
      try {
        await expectAccepted(sender, first, "an event of an endpoint with a filter");
        // As after a change of the filter: it does not say whether the events before it have arrived.
        await expectAccepted(sender, third, "an event whose previous_sequence is null");
        await expectAccepted(sender, second, "an event whose previous_sequence is not sequence - 1");
        const seen = await sender.log?.await([first.id, second.id, third.id]);
        const lost = seen && [first, second, third].find(({ id }) => !seen.includes(id));
        if (lost) {
          sender.reopen(lost);
          const event = `event ${lost.sequence} with previous_sequence ${lost.previous}`;
          throw new CheckFailed(`answered 2xx to ${event}, but never processed it`);
        }
        return seen && "processes every event although sequence has gaps";
      } catch (error) {
        sender.reopenSkipped();
        throw error;
      }
    },
    cure:
      "Wait for the event that previous_sequence names, not for sequence - 1, and for none if it is null. Recognise " +
      "a repeated event by its id, not by a number below that of the last processed event.",
  },
  {
    check: "forged",
    run: async (sender) => {
      const forgeries: Readonly<Record<string, DeliveryOptions>> = {
        "a signature by another secret": { secrets: [sender.foreign] },
        "a body that was changed after signing": {
          change: (message) => ({
            ...message,
            body: message.body.replace('"gold_grams":0.1', '"gold_grams":9.9'),
          }),
        },
        "no signature": {
          change: ({ body, headers: { "webhook-signature": _, ...headers } }) => ({ body, headers }),
        },
      };
      await expectRefused(sender, forgeries);
      return "refuses forged deliveries";
    },
    cure: "Verify the signature over the raw body before anything else, and answer 400 if it does not match.",
  },
  {
    check: "stale",
    run: async (sender) => {
      await expectRefused(sender, {
        "a correctly signed delivery with a timestamp 10 minutes ago": { ageSeconds: 600 },
        "a correctly signed delivery with a timestamp 10 minutes ahead": { ageSeconds: -600 },
      });
      return "refuses old deliveries and deliveries from the future";
    },
    cure:
      "Refuse a webhook-timestamp more than 300 s away from your clock, so that a recorded delivery cannot be " +
      "replayed.",
  },
  {
    check: "oversized",
    run: async (sender) => {
      const event = sender.peek();
      const body = event.body.replace("{", `{"padding":"${"x".repeat(OVERSIZED_BYTES)}",`);
      const answer = await sender.send({ ...event, body });
      const next = await sender.send(sender.take());
      const text = `${answerText(answer)} to a body of 1 MiB`;
      if (!isAccepted(next)) throw new CheckFailed(`${text}, then ${answerText(next)} to a correct delivery`);
      if (answer.status !== null && (answer.status < 400 || answer.status >= 500)) {
        throw new CheckFailed(text);
      }
      return "refuses a body that is longer than any delivery, and goes on working";
    },
    cure: "Answer 413 to a body of more than 64 KiB without reading it, so that nobody can fill your memory.",
  },
];

const RETRY_SECONDS = 5;
/** How many events in a row a filter leaves out. */
const FILTERED = 3;
const OVERSIZED_BYTES = 1024 * 1024;
const UNSEEN = "; only --log shows what it processes";

/** Runs the checks against a receiver one after another, and yields what each one found. */
export async function* checkReceiver(sender: TestSender): AsyncGenerator<Finding> {
  let isUsable = true;
  for (const { check, run, cure } of CHECKS) {
    if (!isUsable) {
      yield { check, result: "skipped", detail: "needs the check delivery to pass." };
      continue;
    }
    const finding = await runCheck(check, () => run(sender), cure);
    await sender.fillGaps();
    isUsable = check !== "delivery" || finding.result === "ok";
    yield finding;
  }
}

async function runCheck(
  check: string,
  run: () => Promise<string | undefined>,
  cure: string,
): Promise<Finding> {
  try {
    const right = await run();
    if (right === undefined) return { check, result: "skipped", detail: "needs --log FILE." };
    return { check, result: "ok", detail: `${right}.` };
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    const exit = error instanceof NoAnswer && check === "delivery" ? { exit: EXIT.dependency } : {};
    return { check, result: "failed", detail: `${error.message}.`, cure, ...exit };
  }
}

class NoAnswer extends CheckFailed {}

async function expectAccepted(
  sender: TestSender,
  event: TestEvent,
  what: string,
  options?: DeliveryOptions,
): Promise<void> {
  const answer = await sender.send(event, options);
  if (isAccepted(answer)) return;
  const text = `${answerText(answer)} to ${what}`;
  throw answer.status === null ? new NoAnswer(text) : new CheckFailed(text);
}

/** Delivers every variant, and throws one CheckFailed for all that are not refused with a 4xx. */
async function expectRefused(
  sender: TestSender,
  variants: Readonly<Record<string, DeliveryOptions>>,
): Promise<void> {
  const wrong: string[] = [];
  for (const [what, options] of Object.entries(variants)) {
    const event = sender.peek();
    const answer = await sender.send(event, options);
    if (answer.status !== null && answer.status >= 400 && answer.status < 500) continue;
    if (isAccepted(answer)) await sender.log?.settle();
    const seen = isAccepted(answer) ? await sender.log?.processed([event.id]) : undefined;
    // This receiver has used up the sequence number. It would ignore the next variant with the same number.
    if (seen && seen.length > 0) sender.skip();
    const consequence = seen === undefined
      ? ""
      : seen.length > 0
      ? " and processed it"
      : ", but did not process it. The service does not repeat a delivery that is answered 2xx, so verify before you answer";
    wrong.push(`${answerText(answer)} to ${what}${consequence}`);
  }
  if (wrong.length > 0) throw new CheckFailed(wrong.join("; "));
}

/** Requires that the log shows both events, `early` first. Returns undefined without a log. */
async function expectInOrder(
  { log }: TestSender,
  early: TestEvent,
  late: TestEvent,
): Promise<string | undefined> {
  if (!log) return undefined;
  const [seen, ids] = [await log.await([early.id, late.id]), [early.id, late.id]];
  const lost = [early, late].find(({ id }) => !seen.includes(id));
  if (lost) throw new CheckFailed(`answered 2xx to event ${lost.sequence}, but never processed it`);
  if ([...new Set(seen)].join() !== ids.join()) {
    throw new CheckFailed(`processed event ${late.sequence} before event ${early.sequence}`);
  }
  const twice = [early, late].find(({ id }) => seen.indexOf(id) !== seen.lastIndexOf(id));
  if (twice) throw new CheckFailed(`processed event ${twice.sequence} more than once`);
  return "processes events in the order of sequence";
}
