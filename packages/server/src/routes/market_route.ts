import {
  formatInstant,
  hostBytes,
  numberOfReservesList,
  priceHistoryQuery,
  priceNumber,
  REQUEST_HEADER,
} from "@gold-partner/protocol";
import type { JsonValue } from "@gold-partner/canonical";
import { readQuery, refuseQuery } from "../admission/query/read_query.ts";
import { admitCaller, admitCertificateAlone } from "../admission/admit_caller.ts";
import type { Route } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import type { Price } from "../reads/market_reads.ts";
import type { Range } from "../reads/price_minutes.ts";
import { Refusal } from "../http/refusal.ts";
import { fixedReply, JSON_MEDIA_TYPE, jsonReply, jsonTextReply } from "../http/reply.ts";

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
    return jsonReply(describePrice(price), c.get("exchange"));
  };
}

export const describePrice = ({ buy, sell, asOf, marketOpen }: Price) => ({
  ...TERMS,
  buy_price: priceNumber(buy),
  sell_price: priceNumber(sell),
  as_of: formatInstant(asOf.getTime()),
  market: marketOpen ? "open" : "closed",
});

export function priceHistoryRoute(deps: Deps): Route {
  return async (c) => {
    await admitCaller(c, deps);
    const { after } = readQuery(c, priceHistoryQuery);
    const minutes = await deps.reads.priceMinutes();
    return jsonReply({
      ...TERMS,
      bars: minutes.filter(({ at }) => after === undefined || at > after).map(({ at, buy, sell }) => ({
        begins_at: at,
        buy_price: describeRange(buy),
        sell_price: describeRange(sell),
      })),
    }, c.get("exchange"));
  };
}

const TERMS = { currency: "SAR", unit: "gram", purity: "24K" };

const describeRange = ([first, highest, lowest, last]: Range): JsonValue => ({
  first: priceNumber(first),
  highest: priceNumber(highest),
  lowest: priceNumber(lowest),
  last: priceNumber(last),
});

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

const LIST_KEPT_SECONDS = 365 * 24 * 60 * 60;

/** A list of bars never changes. So a cache may store it for a year and does not have to ask again. */
export function reservesListRoute(deps: Deps): Route {
  return async (c) => {
    await admitCaller(c, deps);
    refuseQuery(c);
    const list = numberOfReservesList(c.req.param("reserves_list_id") ?? "");
    const body = list && await deps.reads.reservesList(list);
    if (!body) throw new Refusal("not_found", "There is no list of bars with this id.");
    return fixedReply(
      {
        mediaType: JSON_MEDIA_TYPE,
        body,
        tag: `"${hostBytes.sha256Hex(hostBytes.utf8(body))}"`,
        headers: { "Cache-Control": `private, max-age=${LIST_KEPT_SECONDS}, immutable` },
      },
      c.req.header(REQUEST_HEADER.ifNoneMatch),
      c.get("exchange"),
    );
  };
}
