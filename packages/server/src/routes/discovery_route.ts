import { refuseQuery } from "../admission/query/read_query.ts";
import { admitCertificateAlone } from "../admission/admit_caller.ts";
import type { Route } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import { jsonReply } from "../http/reply.ts";

export function jwksRoute(deps: Deps): Route {
  return async (c) => {
    await admitCertificateAlone(c, deps);
    refuseQuery(c);
    // Also publish keys that do not sign yet, so that a partner that caches this list knows a new key before
    // the first token is signed with it.
    const published = deps.registry.snapshot().tokenKeys.filter(({ retireAtMs }) => deps.now() < retireAtMs);
    const keys = published.map(({ kid, publicJwk }) => {
      const { kty, crv, x, y } = publicJwk as { kty: string; crv: string; x: string; y: string };
      return { kty, crv, x, y, kid, alg: "ES256", use: "sig" };
    });
    return jsonReply({ keys }, c.get("exchange"));
  };
}

export function metadataRoute(deps: Deps): Route {
  return async (c) => {
    await admitCertificateAlone(c, deps);
    refuseQuery(c);
    const issuer = deps.config.publicBaseUrl;
    return jsonReply({
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      grant_types_supported: ["client_credentials"],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      tls_client_certificate_bound_access_tokens: true,
    }, c.get("exchange"));
  };
}
