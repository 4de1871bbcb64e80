import { formatInstant, gramsNumber, priceNumber, sarNumber } from "@gold-partner/protocol";
import { type AppContext, enter, identify } from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";
import { jsonReply } from "./reply.ts";

type Route = (c: AppContext) => Promise<Response>;

export function healthRoute(deps: Deps): Route {
  return async (c) => {
    await enter(c, deps);
    await deps.reads.ping().catch(() => {
      throw new Refusal("service_unavailable", "The database does not answer.");
    });
    return jsonReply({ status: "ok" }, c.get("requestId"));
  };
}

export function pricesRoute(deps: Deps): Route {
  return async (c) => {
    await identify(c, deps);
    const { buy, sell, asOf, stale } = await deps.reads.price();
    if (stale) throw new Refusal("price_unavailable");
    return jsonReply({
      currency: "SAR",
      unit: "gram",
      purity: "24K",
      buy_price: priceNumber(buy),
      sell_price: priceNumber(sell),
      as_of: formatInstant(asOf.getTime()),
      market: "open",
    }, c.get("requestId"));
  };
}

export function balancesRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await identify(c, deps);
    // Today's balance is no answer to a question about another instant.
    if (c.get("target").includes("?")) {
      throw new Refusal("invalid_request", "This path takes no parameters: it gives the balances of now.");
    }
    const { sarAvailable, sarHeld, gold, asOf } = await deps.reads.balances(partner.id);
    return jsonReply({
      sar: { available: sarNumber(sarAvailable), held: sarNumber(sarHeld) },
      gold: { grams: gramsNumber(gold) },
      as_of: formatInstant(asOf.getTime()),
    }, c.get("requestId"));
  };
}

export function jwksRoute(deps: Deps): Route {
  return async (c) => {
    await enter(c, deps);
    const keys = deps.registry.snapshot().tokenKeys.map(({ kid, publicJwk }) => {
      const { kty, crv, x, y } = publicJwk as { kty: string; crv: string; x: string; y: string };
      return { kty, crv, x, y, kid, alg: "ES256", use: "sig" };
    });
    return jsonReply({ keys }, c.get("requestId"));
  };
}

export function metadataRoute(deps: Deps): Route {
  return async (c) => {
    await enter(c, deps);
    const issuer = deps.config.publicBaseUrl;
    return jsonReply({
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      grant_types_supported: ["client_credentials"],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      tls_client_certificate_bound_access_tokens: true,
    }, c.get("requestId"));
  };
}
