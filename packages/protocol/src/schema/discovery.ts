// Replies about the service itself: health, keys, metadata.
import { z } from "zod";

// Unlike every other reply, this one never gets more members, because monitors compare the whole body.
export const healthReply = z.strictObject({ status: z.literal("ok") }).meta({
  id: "Health",
  description: "The service can serve.",
});
export type HealthReply = z.infer<typeof healthReply>;

export const jwksReply = z.object({
  keys: z.array(z.object({
    kty: z.literal("EC"),
    crv: z.literal("P-256"),
    x: z.string(),
    y: z.string(),
    kid: z.string(),
    alg: z.literal("ES256"),
    use: z.literal("sig"),
  })),
}).meta({ id: "JsonWebKeySet", description: "The public keys of the service's tokens (RFC 7517)." });
export type JwksReply = z.infer<typeof jwksReply>;

export const authorizationServerReply = z.object({
  issuer: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  grant_types_supported: z.array(z.literal("client_credentials")),
  response_types_supported: z.array(z.string()).meta({
    description: "Empty: there is no authorization endpoint.",
  }),
  token_endpoint_auth_methods_supported: z.array(z.literal("client_secret_post")),
  tls_client_certificate_bound_access_tokens: z.literal(true),
  service_documentation: z.url().optional(),
}).meta({ id: "AuthorizationServer", description: "Authorization server metadata (RFC 8414, RFC 8705)." });
export type AuthorizationServerReply = z.infer<typeof authorizationServerReply>;
