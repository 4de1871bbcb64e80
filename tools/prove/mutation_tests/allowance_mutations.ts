import type { Mutation } from "./mutation.ts";

const ALLOWANCE = "src/booking/allowance/allowance.sql";
const BOOK_QUOTES = "src/booking/trading/book_quotes.sql";
const BOOK_ORDERS = "src/booking/trading/book_orders.sql";
const TAKE_TURN = "src/booking/idempotency/take_turn.sql";
const SPEND_NONCES = "src/booking/nonce/spend_nonces.sql";
const OPEN_QUOTES_TEST = "src/booking/allowance/open_quotes.pg.test.ts";
const DAILY_BUDGET_TEST = "src/booking/allowance/daily_budget.pg.test.ts";
const EXPOSURE = "src/booking/allowance/exposure.sql";
const CHANGE_PRICE = "src/booking/trading/change_price.sql";
const PRICE_BAND = "src/booking/trading/price_band.sql";
const BOOK_WITHDRAWAL = "src/booking/withdrawal/book_withdrawal.sql";
const NET_POSITION_TEST = "src/booking/allowance/net_position.pg.test.ts";
const EXPOSURE_TEST = "src/booking/allowance/exposure.pg.test.ts";
const SWINGS_TEST = "src/booking/trading/price_swings.pg.test.ts";
const BAND_TEST = "src/booking/trading/price_band.pg.test.ts";
const BREAKER_TEST = "src/booking/trading/circuit_breaker.pg.test.ts";
const WITHDRAWALS_TEST = "src/booking/withdrawal/daily_withdrawals.pg.test.ts";
const BATCH_EQUALS_SINGLES_TEST = "src/booking/trading/batch_equals_singles.pg.test.ts";

export const ALLOWANCE_MUTATIONS: readonly Mutation[] = [
  {
    name: "net position: the open quotes of a side are not counted",
    file: ALLOWANCE,
    from: "+ case side when 'buy' then open_buys else open_sells end",
    to: "",
    tests: [NET_POSITION_TEST],
    short: true,
  },
  {
    name: "net position: sales of today make room for a quote that ends tomorrow",
    file: ALLOWANCE,
    from: "case when ends_at >= day_ends_at then 0 end)",
    to: "null)",
    tests: [NET_POSITION_TEST],
  },
  {
    name: "exposure: a quote does not lock the vault",
    file: EXPOSURE,
    from: "where v.stripe = 0 for no key update;\n  if is_other_day",
    to: "where v.stripe = 0;\n  if is_other_day",
    tests: [EXPOSURE_TEST],
  },
  {
    name: "exposure: an executed quote stays open",
    file: BOOK_ORDERS,
    from: "perform settle_exposure(executed);",
    to: "null;",
    tests: [EXPOSURE_TEST],
  },
  {
    name: "exposure: setting the limit does not wait for quotes",
    file: EXPOSURE,
    from: "  perform from account a where a.client_id <> 0 order by a.client_id for no key update;\n",
    to: "",
    tests: [EXPOSURE_TEST],
  },
  {
    name: "circuit breaker: the price in force when the time began is not compared",
    file: CHANGE_PRICE,
    from: "h.id is distinct from ticked.id order by h.id desc",
    to:
      "h.id is distinct from ticked.id and h.stored_at > ticked.stored_at - make_interval(secs => ticked.halt_seconds) order by h.id desc",
    tests: [BREAKER_TEST],
  },
  {
    name: "circuit breaker: a price that the band refuses does not close the market",
    file: CHANGE_PRICE,
    from: "  if refusal <> 'outside_band' or not halt_on_jump(ticked) then\n    raise;\n  end if;\n",
    to: "  raise;\n",
    tests: [BAND_TEST],
  },
  {
    name: "price band: only the price before is compared",
    file: PRICE_BAND,
    from: "exit when earlier.stored_at <= (given).stored_at - interval '1 hour';",
    to: "exit;",
    tests: [BAND_TEST],
  },
  {
    name: "price band: the rises of an hour are not added up",
    file: PRICE_BAND,
    from: "      rises := rises + high - low;\n      high := earlier.mid;",
    to: "      high := earlier.mid;",
    tests: [SWINGS_TEST],
  },
  {
    name: "price band: changing the band again forgets the prices of the hour",
    file: PRICE_BAND,
    from: "case when p.band_basis_points is null then p.id else p.band_from end",
    to: "p.id",
    tests: [BAND_TEST],
  },
  {
    name: "price band: the prices from before the band are compared",
    file: PRICE_BAND,
    from: "where h.id >= (given).band_from and h.as_of > 'epoch'",
    to: "where h.as_of > 'epoch'",
    tests: [BAND_TEST],
  },
  {
    name: "price band: the prices before an approved price are compared",
    file: CHANGE_PRICE,
    from: "      new.band_from := new.id;\n",
    to: "      null;\n",
    tests: [BAND_TEST],
  },
  {
    name: "price band: buy and sell prices are not compared with the mid price",
    file: PRICE_BAND,
    from:
      "is distinct from\n    (buy_of((given).mid, (given).spread_basis_points), sell_of((given).mid, (given).spread_basis_points)) then",
    to: "is null then",
    tests: [BAND_TEST],
    short: true,
  },
  {
    name: "withdrawals: one more a day than the limit is allowed",
    file: BOOK_WITHDRAWAL,
    from: "requested >= registered.maximum_daily_withdrawals",
    to: "requested > registered.maximum_daily_withdrawals",
    tests: [WITHDRAWALS_TEST],
  },
  {
    name: "allowance: one open quote more than the limit is allowed",
    file: ALLOWANCE,
    from: "held.open_quotes >= held.maximum_open_quotes",
    to: "held.open_quotes > held.maximum_open_quotes",
    tests: [OPEN_QUOTES_TEST],
    short: true,
  },
  {
    name: "allowance: one record a day more than the limit is allowed",
    file: ALLOWANCE,
    from: "when held.records >= held.maximum_daily_records then",
    to: "when held.records > held.maximum_daily_records then",
    tests: [DAILY_BUDGET_TEST],
  },
  {
    name: "allowance: executed orders are not subtracted from the counts",
    file: ALLOWANCE,
    from: "if executed > 0 then",
    to: "if false then",
    tests: [OPEN_QUOTES_TEST, DAILY_BUDGET_TEST],
  },
  {
    name: "allowance: an executed quote is counted as open",
    file: ALLOWANCE,
    from: "o.id = q.id offset 0",
    to: "false",
    tests: [OPEN_QUOTES_TEST],
  },
  {
    name: "allowance: a batch does not count its own earlier quotes",
    file: BOOK_QUOTES,
    from: "held := coalesce(allowances[asked.slot], asked.allowance);",
    to: "held := asked.allowance;",
    tests: [OPEN_QUOTES_TEST, BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "allowance: the counts of a batch are not stored",
    file: BOOK_QUOTES,
    from: "perform keep_allowances(allowances);",
    to: "null;",
    tests: [DAILY_BUDGET_TEST],
  },
  {
    name: "allowance: open_from can be later than the id of an open quote",
    file: BOOK_QUOTES,
    from: "held.open_from := least(held.open_from, asked.id);",
    to: "held.open_from := asked.id;",
    tests: [OPEN_QUOTES_TEST],
  },
  {
    name: "allowance: an order's refusal is stored although the daily record limit is reached",
    file: BOOK_ORDERS,
    from: "    if refusal is not null then\n      limited :=",
    to: "    if false then\n      limited :=",
    tests: [DAILY_BUDGET_TEST],
  },
  {
    name: "allowance: replays of orders are not limited",
    file: BOOK_ORDERS,
    from: "limited := take_record(asked.n, asked.client, clock, asked.request, true);",
    to: "limited := null;",
    tests: [DAILY_BUDGET_TEST],
  },
  {
    name: "allowance: replays of withdrawals are not limited",
    file: TAKE_TURN,
    from: "answer := take_record(1, holder.client_id, clock, take_turn.request, true);",
    to: "answer := null;",
    tests: [DAILY_BUDGET_TEST],
  },
  {
    name: "allowance: a probe's nonce is stored although the daily record limit is reached",
    file: SPEND_NONCES,
    from: " and refusals[i.n] is null",
    to: "",
    tests: [DAILY_BUDGET_TEST],
  },
];
