import { z } from "zod";
import { instant, sha256Hex } from "./text.ts";

const life = {
  not_before: instant,
  retire_at: instant.nullable().meta({ description: "When it stops being accepted; null: not planned." }),
  last_used_at: instant.nullable().meta({ description: "To the minute; null: never." }),
};

export const credentialsReply = z.object({
  certificates: z.array(z.object({
    sha256: sha256Hex,
    expires_at: instant,
    revoked_at: instant.nullable(),
    ...life,
  })),
  signing_keys: z.array(z.object({ kid: z.string(), thumbprint: z.string(), ...life })),
  client_secrets: z.array(z.object({ secret_id: z.string(), ...life })),
  webhook_secrets: z.array(z.object({ secret_id: z.string(), ...life })),
}).meta({ id: "Credentials", description: "Your credentials, never their values." });
export type CredentialsReply = z.infer<typeof credentialsReply>;
