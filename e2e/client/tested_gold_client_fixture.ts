import { type GoldClient, GoldError, type Prices, type TryReport } from "@gold-partner/client";
import type { Credentials } from "@gold-partner/dev";
import { ClientError } from "./client_program_fixture.ts";
import { openClient } from "./stack_client_fixture.ts";
import type { ClientPlan, TestedClient } from "./survival_fixture.ts";

/** Quantities as texts, as a program in another language returns them. */
const exact = (prices: Prices | null): object | null =>
  prices && { ...prices, buy_price: `${prices.buy_price}`, sell_price: `${prices.sell_price}` };

async function taken<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) if (list.push(item) === count) break;
  return list;
}

/** GoldClient with the calls that testSurvival() makes. */
export class TestedGoldClient implements TestedClient {
  readonly reports: TestedClient["reports"] = [];
  #client: GoldClient | undefined;

  static async open(credentials: Credentials, plan: ClientPlan): Promise<TestedGoldClient> {
    const { port, tries_max = 8, timeout_seconds = 20, ahead_seconds = 0 } = plan;
    const tested = new TestedGoldClient();
    tested.#client = await openClient(credentials, {
      ...(port === undefined ? {} : { port }),
      ...{ triesMax: tries_max, timeoutMs: timeout_seconds * 1000 },
      now: () => Date.now() + ahead_seconds * 1000,
      observe: (report) => tested.#note(report),
    });
    return tested;
  }

  get client(): GoldClient {
    return this.#client!;
  }

  async call(name: string, members: object = {}): Promise<unknown> {
    const { idempotency_key: key, ...request } = members as Record<string, string>;
    const { after, take } = members as { after?: number; take?: number };
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      get_balances: () => this.client.getBalances(),
      create_quote: () => this.client.createQuote(request as { side: "buy"; gold_grams: string }),
      place_order: () =>
        this.client.placeOrder({ quote_id: request.quote_id! }, key ? { idempotencyKey: key } : {}),
      get_order: () => this.client.getOrder(request.order_id!),
      get_prices: async () => exact(await this.client.getPrices()),
      simulate_market: () => this.client.simulateMarket({ state: "price_stale" }),
      reset_simulations: () => this.client.resetSimulations(),
      stream_prices: async () => (await taken(this.client.streamPrices(), take!)).map(exact),
      stream_events: () => taken(this.client.streamEvents({ after }), take!),
    };
    return await calls[name]!().catch((error: GoldError) => {
      if (!(error instanceof GoldError)) throw error;
      const { outcomeUnknown: outcome_unknown, idempotencyKey: idempotency_key } = error;
      const { code, retryable, message } = error;
      throw new ClientError({ code, retryable, message, outcome_unknown, idempotency_key } as ClientError);
    });
  }

  outcomesOf(operation: string): string[] {
    return this.reports.filter((each) => each.operation === operation)
      .map(({ status, code }) => code ?? `${status}`);
  }

  close(): void {
    this.client.close();
  }

  /** Its streams then end with an error, because the client is closed. */
  kill(): void {
    this.close();
  }

  #note({ operation, status, code, retryInMs }: TryReport): void {
    const retry_in_seconds = retryInMs === undefined ? null : retryInMs / 1000;
    this.reports.push({ operation, status: status ?? null, code: code ?? null, retry_in_seconds });
  }
}
