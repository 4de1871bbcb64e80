import type { Row } from "../snapshot.ts";
import { instantText } from "../values.ts";
import type { Books, Client } from "./context.ts";
import { takes } from "./endpoints.ts";

/** The clock of the database may differ by this much from the clocks of the delivery workers. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Compares the state of an event's delivery to the first webhook endpoint with its attempts. */
export function checkDelivery(
  { findings, attemptsKeptSince }: Books,
  name: string,
  { endpoint, receiver }: Client,
  event: Row,
  retries: readonly Row[],
  attempts: readonly Row[],
): void {
  const retry = retries[0];
  if (retry) {
    findings.expect(
      "delivery_has_event",
      `retry ${name} is_test`,
      event.type === "webhook.test",
      retry.is_test,
    );
  }
  for (const { attempted_at } of attempts) {
    if (attempted_at >= event.created_at - CLOCK_DIFFERENCE_MS) continue;
    findings.add(
      "delivery_has_event",
      `attempt ${name}`,
      `from ${instantText(event.created_at)} on`,
      instantText(attempted_at),
    );
  }
  const isDelivered = endpoint && (event.sequence <= endpoint.passed || retry) &&
    (retry?.due_at ?? retry?.parked_at ?? null) === null;
  if (!isDelivered || event.created_at < attemptsKeptSince || receiver && !takes(receiver, event)) return;
  if (attempts.some(({ http_status }) => http_status >= 200 && http_status <= 299)) return;
  findings.add(
    "event_is_delivered",
    name,
    "an attempt that was answered with 2xx",
    `${attempts.length} attempts, none with 2xx`,
  );
}
