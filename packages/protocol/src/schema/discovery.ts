// Replies about the service itself: health, keys, metadata.
import { z } from "zod";

// Unlike every other reply, this one never gets more members, because monitors compare the whole body.
export const healthReply = z.strictObject({
  status: z.literal("ok").meta({ description: "The service and its database work." }),
}).meta({
  id: "Health",
  description: "The service can serve requests.",
});
export type HealthReply = z.infer<typeof healthReply>;

export const jwksReply = z.object({
  keys: z.array(z.object({
    kty: z.literal("EC").meta({ description: "An elliptic-curve key." }),
    crv: z.literal("P-256").meta({ description: "The curve of the key." }),
    x: z.string().meta({ description: "The x coordinate of the public key: 32 bytes in base64url." }),
    y: z.string().meta({ description: "The y coordinate of the public key: 32 bytes in base64url." }),
    kid: z.string().meta({ description: "The key's RFC 7638 thumbprint; a token's header names it." }),
    alg: z.literal("ES256").meta({ description: "The algorithm of the tokens' signatures." }),
    use: z.literal("sig").meta({ description: "The key verifies signatures." }),
  })).meta({ description: "Every key that may have signed a token that is still valid." }),
}).meta({ id: "JsonWebKeySet", description: "The public keys of the service's tokens (RFC 7517)." });
export type JwksReply = z.infer<typeof jwksReply>;

export const authorizationServerReply = z.object({
  issuer: z.url().meta({ description: "The service's base URL; the `iss` of its tokens." }),
  token_endpoint: z.url().meta({ description: "The URL from which you fetch a token." }),
  jwks_uri: z.url().meta({ description: "The URL of the keys that sign the tokens." }),
  grant_types_supported: z.array(z.literal("client_credentials")).meta({
    description: "The only grant type.",
  }),
  response_types_supported: z.array(z.string()).meta({
    description: "Empty: there is no authorization endpoint.",
  }),
  token_endpoint_auth_methods_supported: z.array(z.literal("client_secret_post")).meta({
    description: "The secret is sent in the form, never as HTTP Basic.",
  }),
  tls_client_certificate_bound_access_tokens: z.literal(true).meta({
    description: "A token works only over the client certificate with which it was fetched (RFC 8705).",
  }),
  service_documentation: z.url().optional().meta({ description: "A page for people." }),
}).meta({ id: "AuthorizationServer", description: "Authorization server metadata (RFC 8414, RFC 8705)." });
export type AuthorizationServerReply = z.infer<typeof authorizationServerReply>;
