import type { Mutation } from "./mutation.ts";

const VERIFY_DELIVERY = "src/delivery/verify_delivery.sql";
const VERIFY_LEDGER = "src/booking/ledger/verify_ledger.sql";
const VERIFY_DELIVERY_TEST = "src/delivery/verify_delivery.pg.test.ts";

/**
 * Each mutation breaks one verification rule about deliveries, or about events that are not bookings. The
 * broken rule then misses a defect or reports a correct row.
 */
export const DELIVERY_VERIFICATION_MUTATIONS: readonly Mutation[] = [
  {
    name: "verify: misses violations of event_is_delivered",
    file: VERIFY_DELIVERY,
    from: "  where (e.sequence <= p.passed or r.sequence is not null)",
    to: "  where false",
    tests: [VERIFY_DELIVERY_TEST],
    short: true,
  },
  {
    name: "verify: event_is_delivered misses events that were delivered out of order",
    file: VERIFY_DELIVERY,
    from: "(e.sequence <= p.passed or r.sequence is not null)",
    to: "e.sequence <= p.passed",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: event_is_delivered ignores every event with a row in the retry table",
    file: VERIFY_DELIVERY,
    from: " and r.due_at is null and r.parked_at is null\n",
    to: " and r.sequence is null\n",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: event_is_delivered accepts any HTTP status",
    file: VERIFY_DELIVERY,
    from: " and a.http_status between 200 and 299)",
    to: ")",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: event_is_delivered reports parked events",
    file: VERIFY_DELIVERY,
    from: " and r.parked_at is null\n",
    to: "\n",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: event_is_delivered reports events whose attempts are no longer kept",
    file: VERIFY_DELIVERY,
    from: "    and e.created_at >= (\n",
    to: "    and e.created_at is distinct from (\n",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: misses violations of retry_has_event",
    file: VERIFY_DELIVERY,
    from: "  where e.sequence is null\n",
    to: "  where false\n",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: misses violations of delivery_is_behind",
    file: VERIFY_DELIVERY,
    from: "  where p.passed > coalesce(a.event_sequence, 0)\n",
    to: "  where false\n",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: misses violations of notice_has_event",
    file: VERIFY_DELIVERY,
    from: "  having count(e.id) <> 1\n",
    to: "  having false\n",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: notice_has_event misses two events for one notice",
    file: VERIFY_DELIVERY,
    from: "having count(e.id) <> 1",
    to: "having count(e.id) < 1",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: a test event may have any subject",
    file: VERIFY_LEDGER,
    from: "e.type = 'webhook.test' and e.subject = e.id then",
    to: "e.type = 'webhook.test' then",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: an expiry event needs no notice",
    file: VERIFY_LEDGER,
    from: " n.id, case when",
    to: " case when e.type = 'credential.expiring' then e.id end, case when",
    tests: [VERIFY_DELIVERY_TEST],
  },
  {
    name: "verify: an event's idempotency key may name an event that does not exist",
    file: VERIFY_LEDGER,
    from: "  where k.result_kind not in ('refusal', 'simulation') and",
    to: "  where k.result_kind not in ('refusal', 'simulation', 'event') and",
    tests: [VERIFY_DELIVERY_TEST],
  },
];
