import { z } from "zod";
import { endpointNumber, instant, sha256Hex } from "./text.ts";

const life = {
  not_before: instant.meta({ description: "From when the service accepts the credential." }),
  retire_at: instant.nullable().meta({
    description: "When the service stops accepting the credential; null if no end is planned.",
  }),
  last_used_at: instant.nullable().meta({
    description: "When the credential was last used, recorded at most once a minute; null if never.",
  }),
};

const secretId = z.string().meta({ description: "The secret's name, not its value." });

export const credentialsReply = z.object({
  certificates: z.array(z.object({
    sha256: sha256Hex.meta({ description: "SHA-256 of the certificate (DER), lower-case hex." }),
    expires_at: instant.meta({ description: "When the certificate expires (notAfter)." }),
    revoked_at: instant.nullable().meta({
      description: "When the operator revoked the certificate; null if it is not revoked.",
    }),
    ...life,
  })).meta({ description: "Your client certificates." }),
  signing_keys: z.array(z.object({
    kid: z.string().meta({ description: "The name that the protected header may give as `kid`." }),
    thumbprint: z.string().meta({
      description: "The key's RFC 7638 thumbprint. The protected header may also give this value as `kid`.",
    }),
    ...life,
  })).meta({ description: "The public keys that verify your signatures." }),
  client_secrets: z.array(z.object({ secret_id: secretId, ...life })).meta({
    description: "The secrets with which you fetch tokens.",
  }),
  webhook_secrets: z.array(z.object({
    secret_id: secretId,
    endpoint: endpointNumber.meta({
      description: "The number of the endpoint whose webhooks the secret signs, as GET /v1/account shows it.",
    }),
    ...life,
  })).meta({
    description: "The secrets that sign your webhooks. Each endpoint has its own.",
  }),
}).meta({ id: "Credentials", description: "Your credentials, never their values." });
export type CredentialsReply = z.infer<typeof credentialsReply>;
