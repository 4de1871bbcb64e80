import type { Mutation } from "./mutation.ts";

const MONEY = "src/booking/simulation/simulate_money.sql";
const MARKET = "src/booking/simulation/simulate_market.sql";
const BOOK = "src/booking/simulation/book_simulation.sql";
const ROUTE_TEST = "src/routes/simulation_route.pg.test.ts";
const FAILURE_TEST = "src/simulated_failure.pg.test.ts";
const WEBHOOK_TEST = "src/delivery/simulated_webhooks.pg.test.ts";

export const SIMULATION_MUTATIONS: readonly Mutation[] = [
  {
    name: "simulation: an outcome that the withdrawal has already passed is accepted",
    file: MONEY,
    from: "  path := path[: array_position(path, outcome)];\n",
    to: "",
    tests: [ROUTE_TEST],
  },
  {
    name: "simulation: the login that approves a withdrawal also submits it",
    file: MONEY,
    from: "perform submit_withdrawals_as('gold_simulation_checker',",
    to: "perform submit_withdrawals_as('gold_simulation_maker',",
    tests: [ROUTE_TEST],
  },
  {
    name: "simulation: a partner decides another partner's withdrawal",
    file: MONEY,
    from:
      "where w.bucket = holder.bucket and w.client_id = holder.client_id and w.id = (parameters->>'id')::uuid;",
    to: "where w.id = (parameters->>'id')::uuid;",
    tests: [ROUTE_TEST],
  },
  {
    name: "simulation: a deposit is reversed although its money is spent",
    file: MONEY,
    from: "elsif given.reversed_at is null and holder.sar_available < given.amount then",
    to: "elsif false then",
    tests: [ROUTE_TEST],
  },
  {
    name: "simulation: an armed state does not end",
    file: MARKET,
    from: "return case when (simulations->name->>'until')::timestamptz > clock then simulations->name end;",
    to: "return simulations->name;",
    tests: [ROUTE_TEST],
  },
  {
    name: "simulation: a changed sell price is rounded up",
    file: MARKET,
    from: "greatest(unit_price * (100 + percent) / 100, 1)",
    to: "greatest((unit_price * (100 + percent) + 99) / 100, 1)",
    tests: [ROUTE_TEST],
  },
  {
    name: "simulation: a reset revives an expired quote",
    file: BOOK,
    from: "holder.simulations := others - '{market,prices,failure,webhooks}'::text[];",
    to: "holder.simulations := '{}';",
    tests: [ROUTE_TEST],
  },
  {
    name: "simulation: arming does not raise the admission version",
    file: BOOK,
    from: ", admission_version = a.admission_version + 1",
    to: "",
    tests: [FAILURE_TEST],
  },
  {
    name: "simulation: a failure is taken although the operation does not document its code",
    file: BOOK,
    from: "if failure is null or not coalesce(failure->>'code' = any (codes), true) then",
    to: "if failure is null then",
    tests: [ROUTE_TEST],
  },
  {
    name: "simulation: disturbed webhooks begin with the newest event",
    file: BOOK,
    from: "to_jsonb(holder.event_sequence + 1)",
    to: "to_jsonb(holder.event_sequence)",
    tests: [WEBHOOK_TEST],
  },
  {
    name: "simulation: an order ignores the partner's simulated vault shortage",
    file: "src/booking/trading/book_orders.sql",
    from: "(free < asked.grams or is_short)",
    to: "free < asked.grams",
    tests: [ROUTE_TEST],
  },
];
