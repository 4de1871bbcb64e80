import { randomUUID } from "node:crypto";
import type { TestPartner } from "./partner.ts";
import type { Sending, TestService } from "./service.ts";

type Body = Record<string, unknown>;

/** One partner of a test service. It sends simulations, trades and reads. */
export interface Simulator {
  readonly partner: TestPartner;
  /** Sends a simulation. */
  simulate(name: string, body?: Body, sending?: Sending): Promise<Response>;
  /** Sends a simulation that must succeed, and returns the reply's body. */
  arm(name: string, body?: Body): Promise<Body>;
  get(path: string): Promise<Response>;
  quote(body?: Body, key?: string): Promise<Response>;
  quoteId(side?: "buy" | "sell"): Promise<string>;
  order(quoteId: string, key?: string): Promise<Response>;
  /** Sends a signed write. */
  signed(path: string, body: Body, key?: string): Promise<Response>;
  withdraw(amountSar?: number): Promise<string>;
}

export async function openSimulator(service: TestService, amountSar = 1_000_000): Promise<Simulator> {
  const partner = await service.addPartner();
  const simulate: Simulator["simulate"] = (name, body = {}, sending = {}) =>
    service.send(`/sandbox/simulate/${name}`, { partner, body: JSON.stringify(body), ...sending });
  const succeed = async (reply: Response, path: string): Promise<Body> => {
    const text = await reply.text();
    if (reply.status !== 201) throw new Error(`${path} answered ${reply.status}: ${text}`);
    return JSON.parse(text);
  };
  const signed: Simulator["signed"] = (path, body, key = randomUUID()) =>
    service.signed(path, JSON.stringify(body), { partner, headers: { "Idempotency-Key": key } });
  const simulator: Simulator = {
    partner,
    simulate,
    arm: async (name, body) => await succeed(await simulate(name, body), name),
    get: (path) => service.send(path, { partner, method: "GET" }),
    quote: (body = { side: "buy", gold_grams: 1 }, key: string = randomUUID()) =>
      service.send("/v1/quotes", {
        partner,
        body: JSON.stringify(body),
        headers: { "Idempotency-Key": key },
      }),
    quoteId: async (side = "buy") =>
      (await succeed(await simulator.quote({ side, gold_grams: 1 }), "a quote")).quote_id as string,
    signed,
    order: (quote_id, key) => signed("/v1/orders", { quote_id }, key),
    withdraw: async (amount_sar = 10) =>
      (await succeed(await signed("/v1/withdrawals", { amount_sar }), "a withdrawal"))
        .withdrawal_id as string,
  };
  if (amountSar > 0) {
    await succeed(
      await service.send("/sandbox/fund", { partner, body: JSON.stringify({ amount_sar: amountSar }) }),
      "funding",
    );
  }
  return simulator;
}
