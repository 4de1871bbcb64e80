import { randomUUID } from "node:crypto";
import { PROBLEM_REGISTRY, type ProblemCode } from "@gold-partner/protocol";
import type { TestService } from "./service.ts";
import { openSimulator, type Simulator } from "./simulator.ts";

/** One action of a sequence. The first number chooses the action, the others its parameters. */
export type Draw = readonly [action: number, one: number, other: number];

type WithdrawalStatus =
  | "pending_approval"
  | "approved"
  | "submitted"
  | "paid"
  | "rejected"
  | "returned"
  | "cancelled";
type Outcome = Exclude<WithdrawalStatus, "pending_approval" | "cancelled">;
type Sides = "buy" | "sell";

interface Quote {
  readonly id: string;
  readonly side: Sides;
  readonly tenthMilligrams: bigint;
  readonly halalas: bigint;
  state: "open" | "executed" | "expired";
}

/** What a reply must be: a success, or the refusal with this code. */
type Expected = 201 | ProblemCode;

const OUTCOMES: readonly Outcome[] = ["approved", "submitted", "paid", "rejected", "returned"];
/** The statuses from which an outcome can be reached. */
const FROM: Readonly<Record<Outcome, readonly WithdrawalStatus[]>> = {
  approved: ["pending_approval", "approved"],
  submitted: ["pending_approval", "approved", "submitted"],
  paid: ["pending_approval", "approved", "submitted", "paid"],
  rejected: ["pending_approval", "approved", "rejected"],
  returned: ["pending_approval", "approved", "submitted", "paid", "returned"],
};
const STATES = ["closed", "price_stale", "vault_short", "withdrawals_spent", "normal", "normal"] as const;
const FAILURES = {
  rate_limited: "rate_limited",
  unavailable: "service_unavailable",
  timeout: "upstream_timeout",
  lost_reply: "upstream_unavailable",
} as const;
const EVENTS = [
  ...["credential.added", "credential.expiring", "credential.ended"] as const,
  ...["settlement.changed", "webhook_endpoint.changed", "day.closed"] as const,
];
const WEBHOOKS = ["twice", "late", "out_of_order", "other_secret"] as const;
/** The price of the test books, in pips. */
const PRICE: Readonly<Record<Sides, bigint>> = { buy: 3_210_000n, sell: 3_190_000n };

/**
 * Runs a random sequence of simulations and ordinary calls for one partner, and checks every reply against a
 * model. Every call is repeated with its key until the simulated failures are used up.
 */
export class SimulatedHistory {
  readonly #bank: Simulator;
  #available = 0n;
  #held = 0n;
  #gold = 0n;
  #market: (typeof STATES)[number] = "normal";
  #percent = 0n;
  #failure: { readonly code: ProblemCode; remaining: number } | undefined;
  readonly #quotes: Quote[] = [];
  readonly #withdrawals: { readonly id: string; readonly halalas: bigint; status: WithdrawalStatus }[] = [];
  readonly #deposits: { readonly id: string; readonly halalas: bigint; reversed: boolean }[] = [];

  private constructor(bank: Simulator) {
    this.#bank = bank;
  }

  /** Runs the sequence with a new partner. Throws at the first reply that differs from the model. */
  static async run(service: TestService, draws: readonly Draw[]): Promise<void> {
    const history = new SimulatedHistory(await openSimulator(service, 0));
    for (const [at, draw] of draws.entries()) {
      const action = history.#actions[draw[0] % history.#actions.length]!;
      await action(draw[1], draw[2]).catch((error: Error) => {
        throw new Error(`action ${at} of ${JSON.stringify(draws)}: ${error.message}`, { cause: error });
      });
    }
    await history.#compareBalances();
  }

  readonly #actions: readonly ((one: number, other: number) => Promise<void>)[] = [
    (one) => this.#deposit(BigInt(one) * 10n + 1n),
    (one) => this.#deposit(BigInt(one) * 10n + 1n),
    (one) => this.#reverse(one),
    (one) => this.#withdraw(BigInt(one) + 1n),
    (one, other) => this.#decide(one, OUTCOMES[other % OUTCOMES.length]!),
    (one, other) => this.#decide(one, OUTCOMES[other % OUTCOMES.length]!),
    (one) => this.#cancel(one),
    (one, other) => this.#quote(other % 3 === 0 ? "sell" : "buy", BigInt(one % 10_000) + 1n),
    (one, other) => this.#quote(other % 3 === 0 ? "sell" : "buy", BigInt(one % 10_000) + 1n),
    (one) => this.#order(one),
    (one) => this.#order(one),
    (one) => this.#expire(one),
    (one) => this.#happen(EVENTS[one % EVENTS.length]!),
    (one) => this.#setMarket(STATES[one % STATES.length]!),
    (one) => this.#setPrices(one % 101 - 50),
    (one, other) => this.#fail(one, other % 3 + 1),
    (one, other) => this.#disturb(WEBHOOKS[one % WEBHOOKS.length]!, other % 10 + 1),
    () => this.#reset(),
  ];

  /** A simulated failure never affects a call that requests a simulation. */
  async #simulate(name: string, body: Record<string, unknown>, expected: Expected) {
    return await settle(await this.#bank.simulate(name, body), expected, name);
  }

  /** Repeats the request until all simulated failures are used up, and checks each reply. */
  async #call(send: (key: string) => Promise<Response>, expected: Expected, what: string) {
    const key = randomUUID();
    for (
      ;
      this.#failure !== undefined;
      this.#failure = --this.#failure.remaining > 0 ? this.#failure : undefined
    ) {
      await settle(await send(key), this.#failure.code, `${what} with a simulated failure`);
    }
    return await settle(await send(key), expected, what);
  }

  async #deposit(halalas: bigint): Promise<void> {
    const { funding_id } = await this.#simulate("deposit", { amount_sar: sar(halalas) }, 201);
    this.#deposits.push({ id: funding_id as string, halalas, reversed: false });
    this.#available += halalas;
  }

  async #reverse(one: number): Promise<void> {
    const deposit = pick(this.#deposits, one);
    if (!deposit) return;
    const isShort = !deposit.reversed && this.#available < deposit.halalas;
    await this.#simulate(
      "deposit_reversal",
      { funding_id: deposit.id },
      isShort ? "insufficient_funds" : 201,
    );
    if (isShort || deposit.reversed) return;
    this.#available -= deposit.halalas;
    deposit.reversed = true;
  }

  async #withdraw(halalas: bigint): Promise<void> {
    const allowed = this.#market === "withdrawals_spent" ? "withdrawal_limit_exceeded" : 201;
    const expected = this.#available < halalas ? "insufficient_funds" : allowed;
    const body = { amount_sar: sar(halalas) };
    const made = await this.#call(
      (key) => this.#bank.signed("/v1/withdrawals", body, key),
      expected,
      "a withdrawal",
    );
    if (expected !== 201) return;
    this.#withdrawals.push({ id: made.withdrawal_id as string, halalas, status: "pending_approval" });
    this.#available -= halalas;
    this.#held += halalas;
  }

  async #decide(one: number, outcome: Outcome): Promise<void> {
    const withdrawal = pick(this.#withdrawals, one);
    if (!withdrawal) return;
    const { status, halalas } = withdrawal;
    const expected = FROM[outcome].includes(status) ? 201 : "withdrawal_outcome_unreachable";
    await this.#simulate("withdrawal", { withdrawal_id: withdrawal.id, outcome }, expected);
    if (expected !== 201 || status === outcome) return;
    withdrawal.status = outcome;
    if (outcome === "approved" || outcome === "submitted") return;
    if (status !== "paid") this.#held -= halalas;
    if (outcome !== "paid") this.#available += halalas;
  }

  async #cancel(one: number): Promise<void> {
    const withdrawal = pick(this.#withdrawals, one);
    if (!withdrawal) return;
    const expected = withdrawal.status === "pending_approval" ? 201 : "withdrawal_not_pending";
    const path = `/v1/withdrawals/${withdrawal.id}/cancel`;
    await this.#call((key) => this.#bank.signed(path, {}, key), expected, "a cancellation");
    if (expected !== 201) return;
    withdrawal.status = "cancelled";
    this.#held -= withdrawal.halalas;
    this.#available += withdrawal.halalas;
  }

  async #quote(side: Sides, tenthMilligrams: bigint): Promise<void> {
    const code = { closed: "market_closed", price_stale: "price_unavailable" } as const;
    const expected = this.#market === "closed" || this.#market === "price_stale" ? code[this.#market] : 201;
    const body = { side, gold_grams: Number(tenthMilligrams) / 10_000 };
    const made = await this.#call((key) => this.#bank.quote(body, key), expected, "a quote");
    if (expected !== 201) return;
    const raised = PRICE[side] * (100n + this.#percent);
    const pips = side === "buy" ? (raised + 99n) / 100n : raised / 100n;
    const value = tenthMilligrams * pips;
    const halalas = side === "buy" ? (value + 999_999n) / 1_000_000n : value / 1_000_000n;
    same(made.price_per_gram_sar, Number(pips) / 10_000, "the price");
    same(made.total_sar, sar(halalas), "the total");
    this.#quotes.push({ id: made.quote_id as string, side, tenthMilligrams, halalas, state: "open" });
  }

  async #order(one: number): Promise<void> {
    const quote = pick(this.#quotes, one);
    if (!quote) return;
    const expected = this.#expectOrder(quote);
    await this.#call((key) => this.#bank.order(quote.id, key), expected, "an order");
    if (expected !== 201) return;
    quote.state = "executed";
    const sign = quote.side === "buy" ? 1n : -1n;
    this.#available -= sign * quote.halalas;
    this.#gold += sign * quote.tenthMilligrams;
  }

  #expectOrder({ side, state, tenthMilligrams, halalas }: Quote): Expected {
    if (state !== "open") return state === "executed" ? "quote_already_executed" : "quote_expired";
    if (side === "sell") return this.#gold < tenthMilligrams ? "insufficient_gold" : 201;
    if (this.#available < halalas) return "insufficient_funds";
    return this.#market === "vault_short" ? "insufficient_inventory" : 201;
  }

  async #expire(one: number): Promise<void> {
    const quote = pick(this.#quotes, one);
    if (!quote) return;
    const isExecuted = quote.state === "executed";
    await this.#simulate("quote_expiry", { quote_id: quote.id }, isExecuted ? "quote_already_executed" : 201);
    if (!isExecuted) quote.state = "expired";
  }

  /** None of these events changes what the partner has or may do. */
  async #happen(type: (typeof EVENTS)[number]): Promise<void> {
    await this.#simulate("event", { type }, 201);
  }

  async #setMarket(state: (typeof STATES)[number]): Promise<void> {
    await this.#simulate("market", { state, seconds: 600 }, 201);
    this.#market = state;
  }

  async #setPrices(percent: number): Promise<void> {
    await this.#simulate("prices", { percent, seconds: 600 }, percent === 0 ? "invalid_request" : 201);
    if (percent !== 0) this.#percent = BigInt(percent);
  }

  async #fail(one: number, count: number): Promise<void> {
    const [kind, code] = pick(Object.entries(FAILURES), one)!;
    await this.#simulate("failure", { kind, count }, 201);
    this.#failure = { code, remaining: count };
  }

  async #disturb(kind: (typeof WEBHOOKS)[number], count: number): Promise<void> {
    await this.#simulate("webhooks", { kind, count }, 201);
  }

  async #reset(): Promise<void> {
    const left = await this.#simulate("reset", {}, 201);
    same(
      JSON.stringify(left),
      '{"market":null,"prices":null,"failure":null,"webhooks":null}',
      "what is left",
    );
    [this.#market, this.#percent, this.#failure] = ["normal", 0n, undefined];
  }

  async #compareBalances(): Promise<void> {
    const armed = await (await this.#bank.get("/sandbox/simulations")).json() as {
      market: { state: string } | null;
      prices: { percent: number } | null;
      failure: { remaining: number } | null;
    };
    same(armed.market?.state ?? "normal", this.#market, "the market");
    same(armed.prices?.percent ?? 0, Number(this.#percent), "the percentage");
    same(armed.failure?.remaining ?? 0, this.#failure?.remaining ?? 0, "the armed failures");
    await this.#reset();
    const { sar: money, gold } = await (await this.#bank.get("/v1/balances")).json() as {
      sar: { available: number; held: number };
      gold: { grams: number };
    };
    same(money.available, sar(this.#available), "the available SAR");
    same(money.held, sar(this.#held), "the held SAR");
    same(gold.grams, Number(this.#gold) / 10_000, "the gold");
  }
}

const sar = (halalas: bigint) => Number(halalas) / 100;

const pick = <Item>(items: readonly Item[], one: number): Item | undefined => items[one % items.length];

async function settle(reply: Response, expected: Expected, what: string): Promise<Record<string, unknown>> {
  const body = await reply.json() as Record<string, unknown>;
  const isRight = expected === 201
    ? reply.status === 201 || reply.status === 200
    : reply.status === PROBLEM_REGISTRY[expected].status && body.code === expected;
  if (!isRight) throw new Error(`${what} must get ${expected}; got ${reply.status} ${JSON.stringify(body)}`);
  return body;
}

function same(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what} must be ${expected}; got ${actual}`);
}
