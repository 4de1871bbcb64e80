import { setTimeout as sleep } from "node:timers/promises";
import type { AccountEvent, DeliveryAttempt, GoldClient } from "@gold-partner/client";
import { deliveriesOf } from "../deliveries.ts";
import { EXIT } from "../failure.ts";
import { ANSWER_MAX_MS } from "../receiver/deliver.ts";
import { durationText } from "./duration_text.ts";
import { Fault } from "./fault.ts";

type Reads = Pick<GoldClient, "testWebhook" | "listEvents" | "getAccount">;

/** The service waits up to ANSWER_MAX_MS for an answer. Then it needs some time to store the attempt. */
const ATTEMPT_MAX_MS = ANSWER_MAX_MS + 5_000;
const POLL_MS = 200;
const EVENTS_SEEN = 200;

/**
 * Sends a test event to every endpoint, and returns what each answered. Throws one Fault for all endpoints that did not
 * accept it within `maxMs`.
 */
export async function examineWebhooks(
  client: Reads,
  maxMs: number = ATTEMPT_MAX_MS,
): Promise<{ readonly detail: string }> {
  const test = await client.testWebhook();
  const endpoints = deliveriesOf(test).map(({ endpoint }) => endpoint);
  if (endpoints.length === 0) return { detail: "no endpoint is registered, so no event is sent." };
  let tried = new Map<number, DeliveryAttempt>();
  for (const endMs = performance.now() + maxMs; performance.now() < endMs; await sleep(POLL_MS)) {
    tried = await findAttempts(client, test, test.created_at);
    if (endpoints.every((endpoint) => tried.has(endpoint))) break;
  }
  // After some failures in a row the service pauses, up to a minute, before it sends the next event.
  const earlier = tried.size < endpoints.length ? await findAttempts(client, test, "") : tried;
  const found = endpoints.map((endpoint) => {
    try {
      return { endpoint, detail: judge(tried.get(endpoint), earlier.get(endpoint), maxMs) };
    } catch (error) {
      if (error instanceof Fault) return { endpoint, detail: error.message, fault: error };
      throw error;
    }
  });
  return summaryOf(found, found.length > 1 ? await readUrls(client) : undefined);
}

interface Found {
  readonly endpoint: number;
  readonly detail: string;
  readonly fault?: Fault;
}

/** Without `urls` there is one endpoint, which needs no name. */
function summaryOf(found: readonly Found[], urls?: ReadonlyMap<number, string>): { readonly detail: string } {
  const nameOf = (endpoint: number) =>
    `endpoint ${endpoint} (${urls!.get(endpoint) ?? "its URL is not known"})`;
  const detail = found.map((one) => urls ? `${nameOf(one.endpoint)}: ${one.detail}` : one.detail).join(" ");
  const faults = found.flatMap(({ endpoint, fault }) => fault ? [{ endpoint, fault }] : []);
  if (faults.length === 0) return { detail };
  const cures = faults.map(({ endpoint, fault }) =>
    urls ? `Endpoint ${endpoint}: ${fault.cure}` : fault.cure
  );
  throw new Fault(detail, cures.join(" "), faults[0]!.fault.exit);
}

async function readUrls(client: Reads): Promise<ReadonlyMap<number, string>> {
  const { webhook_endpoints } = await client.getAccount();
  return new Map(webhook_endpoints.map(({ endpoint, url }) => [endpoint, url]));
}

function judge(
  tried: DeliveryAttempt | undefined,
  earlier: DeliveryAttempt | undefined,
  maxMs: number,
): string {
  if (tried) return judgeAttempt(tried, "a test event");
  if (earlier && !isDelivered(earlier)) return judgeAttempt(earlier, "an earlier event");
  throw new Fault(
    `the service did not send the test event within ${durationText(maxMs)}.`,
    "gold-partner events shows the deliveries. If other events are delivered, ask the operator.",
    EXIT.dependency,
  );
}

const isDelivered = ({ http_status }: DeliveryAttempt): boolean =>
  http_status !== null && http_status >= 200 && http_status < 300;

/** What to do about an attempt that got no answer, by its cause. */
const CURES: Readonly<Record<string, string>> = {
  dns:
    "The host of the registered URL has no address in public DNS. Publish it, or give the operator another URL.",
  address:
    "The service does not send to the address of the registered URL. Give the operator a public https URL.",
  refused:
    "Nothing accepts connections at the registered URL. Start your receiver, and open the port to the service.",
  tls_untrusted:
    "TLS failed. Your receiver needs a certificate of a public authority for its name, with the whole chain, and TLS 1.2.",
  timeout: `Answer within ${durationText(ANSWER_MAX_MS)}, and process the event afterwards.`,
  reset: "The connection ended before an answer. Check the proxy in front of your receiver.",
};

function judgeAttempt(attempt: DeliveryAttempt, event: string): string {
  const { http_status, duration_ms, cause } = attempt;
  if (isDelivered(attempt)) return `answered ${http_status} to ${event} after ${duration_ms} ms.`;
  if (http_status === null) {
    throw new Fault(
      `gave no answer to ${event} after ${duration_ms} ms${cause === null ? "" : ` (${cause})`}.`,
      CURES[cause ?? ""] ?? "Check that the registered URL is reachable from the service over https.",
    );
  }
  const cure =
    "Answer 2xx to a delivery that a secret of this endpoint signs. Run gold-partner check-receiver " +
    "with that secret as webhook_secret.";
  throw new Fault(`answered ${http_status} to ${event}.`, cure);
}

/**
 * Returns each endpoint's first attempt to deliver the test event. The service sends one event at a time to an endpoint
 * that keeps failing, and that may be an older event. So while the test event has no attempt, returns the
 * latest attempt for an older event that was made after `since`: it shows the same fault.
 */
async function findAttempts(
  client: Reads,
  test: AccountEvent,
  since: string,
): Promise<Map<number, DeliveryAttempt>> {
  const latest = new Map<number, DeliveryAttempt>();
  const recent = { after: Math.max(0, test.sequence - EVENTS_SEEN), limit: EVENTS_SEEN };
  for await (const event of client.listEvents(recent)) {
    for (const { endpoint, attempts } of deliveriesOf(event)) {
      if (event.id === test.id && attempts[0]) latest.set(endpoint, attempts[0]);
      if (event.id === test.id) continue;
      for (const attempt of attempts) {
        if (attempt.attempted_at > (latest.get(endpoint)?.attempted_at ?? since)) {
          latest.set(endpoint, attempt);
        }
      }
    }
    if (event.id === test.id) return latest;
  }
  return new Map();
}
