import { randomUUID } from "node:crypto";
import type { TestService } from "@gold-partner/server/testing";

/** How one order was answered. */
export interface Answer {
  readonly key: string;
  readonly quoteId: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly orderId: string | undefined;
  readonly retryAfter: string | null;
  readonly answeredMs: number;
}

/**
 * Sends orders for quotes that were made beforehand, because no quote can be made while writes are refused.
 */
export class OrderStream {
  readonly answers: Answer[] = [];
  readonly #service: TestService;
  readonly #quotes: string[] = [];

  constructor(service: TestService) {
    this.#service = service;
  }

  async prepare(quotes: number): Promise<void> {
    this.#quotes.length = 0;
    for (let n = 0; n < quotes; n++) {
      const reply = await this.#service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":0.001}' });
      const { quote_id: id } = await reply.json() as { quote_id?: string };
      if (id === undefined) throw new Error(`the quote failed: ${reply.status}`);
      this.#quotes.push(id);
    }
  }

  /** Sends a new order, or retries an earlier one with its key. */
  async order(before?: Pick<Answer, "key" | "quoteId">): Promise<Answer> {
    const quoteId = before?.quoteId ?? this.#quotes.pop();
    if (quoteId === undefined) throw new Error("all prepared quotes are used");
    const key = before?.key ?? randomUUID();
    const reply = await this.#service.signed("/v1/orders", JSON.stringify({ quote_id: quoteId }), {
      headers: { "Idempotency-Key": key },
    });
    const body = await reply.json() as { code?: string; order_id?: string };
    const answer: Answer = {
      key,
      quoteId,
      status: reply.status,
      code: body.code,
      orderId: reply.status < 300 ? body.order_id : undefined,
      retryAfter: reply.headers.get("Retry-After"),
      answeredMs: performance.now(),
    };
    this.answers.push(answer);
    return answer;
  }

  /** Ids of all orders that were acknowledged. */
  get acknowledged(): readonly string[] {
    return [...new Set(this.answers.flatMap(({ orderId }) => orderId ?? []))];
  }
}
