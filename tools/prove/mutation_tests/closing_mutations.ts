import type { Mutation } from "./mutation.ts";

const CLOSE_DAY = "src/delivery/closing/close_day.sql";
const CLOSE_DAY_TEST = "src/delivery/closing/close_day.pg.test.ts";

export const CLOSING_MUTATIONS: readonly Mutation[] = [
  {
    name: "closing: a day is closed although later records can still get an instant of the day",
    file: CLOSE_DAY,
    from: "if (select a.last_posted_at < ends from",
    to: "if (select false from",
    tests: [CLOSE_DAY_TEST],
    short: true,
  },
  {
    name: "closing: the event of a closed day counts as activity",
    file: CLOSE_DAY,
    from: "and e.type <> 'day.closed'",
    to: "",
    tests: [CLOSE_DAY_TEST],
  },
  {
    name: "closing: the hash of the quotes omits their answers",
    file: CLOSE_DAY,
    from: "coalesce(encode(answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body), 'hex'), '')",
    to: "''",
    tests: [CLOSE_DAY_TEST],
  },
  {
    name: "closing: an order that was signed too late counts as broken",
    file: CLOSE_DAY,
    from: "coalesce(nullif(split_part(",
    to: "coalesce(0 * nullif(split_part(",
    tests: [CLOSE_DAY_TEST],
  },
  {
    name: "closing: a restored timeline is not noticed",
    file: "src/delivery/closing/epoch.sql",
    from: "is distinct from (current_system, current_timeline)",
    to: "is distinct from (current_system, newest.timeline)",
    tests: ["src/delivery/closing/epoch.pg.test.ts"],
  },
];
