import { formatInstant, priceNumber } from "@gold-partner/protocol";
import { refuseQuery } from "../admission/query/read_query.ts";
import { admitCaller, admitCertificateAlone } from "../admission/admit_caller.ts";
import type { Route } from "../http/context.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../http/refusal.ts";
import { jsonReply, jsonTextReply } from "../http/reply.ts";

export function healthRoute(deps: Deps): Route {
  return async (c) => {
    await admitCertificateAlone(c, deps);
    refuseQuery(c);
    deps.writes.requirePossible();
    return jsonReply({ status: "ok" }, c.get("exchange"));
  };
}

export function pricesRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    const price = await (partner.simulations ? deps.reads.simulatedPrice(partner.id) : deps.reads.price());
    if (!price || price.stale) throw new Refusal("price_unavailable");
    const { buy, sell, asOf, marketOpen } = price;
    return jsonReply({
      currency: "SAR",
      unit: "gram",
      purity: "24K",
      buy_price: priceNumber(buy),
      sell_price: priceNumber(sell),
      as_of: formatInstant(asOf.getTime()),
      market: marketOpen ? "open" : "closed",
    }, c.get("exchange"));
  };
}

export function reservesRoute(deps: Deps): Route {
  return async (c) => {
    await admitCaller(c, deps);
    refuseQuery(c);
    const body = await deps.reads.reserves();
    if (body === null) {
      throw new Refusal("service_unavailable", "The reserves have not been published yet.");
    }
    return jsonTextReply(body, c.get("exchange"));
  };
}
