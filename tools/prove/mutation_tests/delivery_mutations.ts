import type { Mutation } from "./mutation.ts";

const HOLD = "src/delivery/hold_endpoints.sql";
const HOLD_TEST = "src/delivery/hold_endpoints.pg.test.ts";
const TAKE = "src/delivery/take_events.sql";
const TAKE_TEST = "src/delivery/take_events.pg.test.ts";
const SETTLE = "src/delivery/settle_attempts.sql";
const SETTLE_TEST = "src/delivery/settle_attempts.pg.test.ts";
const POST_EVENT = "src/booking/outbox/post_event.sql";
const EVENT_NOTICES_TEST = "src/booking/outbox/event_notices.pg.test.ts";
const WORKER = "src/delivery/worker.ts";
const WORKER_TEST = "src/delivery/worker.test.ts";
const LIVING = "where w.id = n.worker and w.seen_at > living_since)\n    limit most";

export const DELIVERY_MUTATIONS: readonly Mutation[] = [
  {
    name: "claim: an endpoint is taken from a worker that is alive",
    file: HOLD,
    from: `      and not exists (select from delivery_worker w ${LIVING}`,
    to: "    limit most",
    tests: [HOLD_TEST],
  },
  {
    name: "claim: the endpoints of a dead worker are not taken over",
    file: HOLD,
    from: LIVING,
    to: "where w.id = n.worker)\n    limit most",
    tests: [HOLD_TEST],
    short: true,
  },
  {
    name: "claim: a worker without a recent heartbeat can claim endpoints",
    file: HOLD,
    from:
      "if not exists (select from delivery_worker w where w.id = claim_endpoints.worker and w.seen_at > living_since) then",
    to: "if false then",
    tests: [HOLD_TEST],
  },
  {
    name: "claim: an endpoint in its rest period is claimed",
    file: HOLD,
    from: "where (n.rests_until is null or n.rests_until <= clock)\n      and",
    to: "where",
    tests: [HOLD_TEST],
  },
  {
    name: "take: events of an endpoint that another worker holds are taken",
    file: TAKE,
    from: " and n.worker = take_events.worker and n.tenure = c.tenure\n",
    to: "\n",
    tests: [TAKE_TEST],
  },
  {
    name: "take: an earlier claim of the same worker can still take events",
    file: TAKE,
    from: " and n.tenure = c.tenure\n",
    to: "\n",
    tests: [TAKE_TEST],
  },
  {
    name: "take: a retry that was taken stays due",
    file: TAKE,
    from: "lost_at timestamptz := clock + interval '20 seconds';",
    to: "lost_at timestamptz := clock;",
    tests: [TAKE_TEST],
    short: true,
  },
  {
    name: "take: an event that is being retried is also sent in sequence",
    file: TAKE,
    from: "case when t.ticket is not null or (",
    to: "case when true or (",
    tests: [TAKE_TEST],
  },
  {
    name: "take: a disabled endpoint gets all events",
    file: TAKE,
    from: "    where not a.disabled\n",
    to: "",
    tests: [TAKE_TEST],
  },
  {
    name: "settle_attempts: a worker that does not hold the endpoint can settle",
    file: SETTLE,
    from: " and n.worker = settle_attempts.worker and n.tenure = h.tenure\n      and n.passed in",
    to: "\n      and n.passed in",
    tests: [SETTLE_TEST],
    short: true,
  },
  {
    name: "settle_attempts: an earlier claim of the same worker can still settle",
    file: SETTLE,
    from: " and n.tenure = h.tenure",
    to: "",
    tests: [SETTLE_TEST],
  },
  {
    name: "settle_attempts: a test event that was delivered does not enable the endpoint",
    file: SETTLE,
    from: "      if enables then\n",
    to: "      if false then\n",
    tests: [SETTLE_TEST],
  },
  {
    name: "settle_attempts: the mark moves whatever its current value is",
    file: SETTLE,
    from: 'n.passed in (h."from", h.passed) and h.passed >= h."from"',
    to: 'h.passed >= h."from"',
    tests: [SETTLE_TEST],
    short: true,
  },
  {
    name: "settle_attempts: the mark moves back",
    file: SETTLE,
    from: ' and h.passed >= h."from"\n',
    to: "\n",
    tests: [SETTLE_TEST],
  },
  {
    name: "settle_attempts: a failed event gets no retry",
    file: SETTLE,
    from: "if tried.ticket is null and tried.client = any (kept) then",
    to: "if tried.ticket is null then\n      continue;\n    elsif tried.client = any (kept) and false then",
    tests: [SETTLE_TEST],
    short: true,
  },
  {
    name: "settle_attempts: a delivery clears a redelivery that was requested in the meantime",
    file: SETTLE,
    from: "update retry r set due_at = null\n" +
      "      where r.bucket = tried.client % 64 and r.client_id = tried.client and r.sequence = tried.sequence and r.due_at = tried.ticket\n",
    to: "update retry r set due_at = null\n" +
      "      where r.bucket = tried.client % 64 and r.client_id = tried.client and r.sequence = tried.sequence\n",
    tests: [SETTLE_TEST],
  },
  {
    name: "settle_attempts: an event that was delivered out of order is forgotten and sent again",
    file: SETTLE,
    from: "r.sequence <= least(p.last, n.passed)",
    to: "r.sequence <= p.last",
    tests: [SETTLE_TEST],
  },
  {
    name: "settle_attempts: an endpoint with pending events is released",
    file: SETTLE,
    from: "(n.disabled_at is not null or a.event_sequence = n.passed\n",
    to: "(true\n",
    tests: [SETTLE_TEST],
  },
  {
    name: "notify: workers are notified of events of disabled and resting endpoints",
    file: POST_EVENT,
    from: "where n.disabled_at is null and (n.rests_until is null or n.rests_until <= clock_timestamp())",
    to: "where true",
    tests: [EVENT_NOTICES_TEST],
  },
  {
    name: "notify: workers are not notified after an endpoint's rest period",
    file: POST_EVENT,
    from: "(n.rests_until is null or n.rests_until <= clock_timestamp())",
    to: "n.rests_until is null",
    tests: [EVENT_NOTICES_TEST],
  },
  {
    name: "notify: workers that do not hold a changed endpoint are not notified",
    file: POST_EVENT,
    from: "select pg_notify('gold_endpoint', client::text), pg_notify('gold_event', client::text);",
    to: "select pg_notify('gold_endpoint', client::text);",
    tests: [EVENT_NOTICES_TEST],
  },
  {
    name: "worker: tries to claim an endpoint of another worker at every event",
    file: WORKER,
    from: "else if (clients) {",
    to: "else if (rows.length > most && clients) {",
    tests: [WORKER_TEST],
  },
  {
    name: "worker: forgets a notification that arrives while it waits to claim the endpoint again",
    file: WORKER,
    from: "if (isWanted) this.wake(client);",
    to: "",
    tests: [WORKER_TEST],
  },
];
