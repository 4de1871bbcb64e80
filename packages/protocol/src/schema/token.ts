import { z } from "zod";
import { TOKEN_TTL_SECONDS } from "../limit.ts";

// OAuth requires that unknown parameters are ignored (RFC 6749, section 3.2), so this is not a strict object.
export const tokenRequest = z.object({
  // This schema refuses only a missing grant_type, with invalid_request. The token route has already refused
  // any other grant type with unsupported_grant_type.
  grant_type: z.literal("client_credentials", {
    error: "grant_type must be client_credentials, the only supported grant type.",
  }).meta({ description: "The only grant type." }),
  client_id: z.string({
    error: "client_id is required: send the client_id that you were given; it begins with sbx_ or live_.",
  }).meta({ description: "Your client_id, which the operator gave you; it begins with sbx_ or live_." }),
  client_secret: z.string({
    error: "client_secret is required: send the secret that you were given with the client_id.",
  }).meta({ description: "One of your active secrets, without a line feed at its end." }),
}).meta({
  id: "TokenRequest",
  description:
    "A form (client_secret_post). Send it over the client certificate to which the token will be bound.",
});
export type TokenRequest = z.infer<typeof tokenRequest>;

export const tokenReply = z.object({
  access_token: z.string().meta({ description: "Send it as `Authorization: Bearer …`. Do not parse it." }),
  token_type: z.literal("Bearer").meta({ description: "How the token is sent." }),
  expires_in: z.int().meta({
    description: "How many seconds the token is valid.",
    examples: [TOKEN_TTL_SECONDS],
  }),
}).meta({ id: "Token", description: "A token bound to the client certificate. Keep it in memory only." });
export type TokenReply = z.infer<typeof tokenReply>;
