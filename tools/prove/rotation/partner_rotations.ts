import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { newKeyFiles } from "@gold-partner/dev";
import type { RotatingPartner } from "./connected_partner.ts";
import { CERTIFICATE_ENDED, forOthers, issueCertificate, newestOf, type Rotation } from "./rotation.ts";
import type { Kind } from "./old_credentials.ts";
import { NEW_SECRETS_AFTER_MS, WebhookOverlap } from "./webhook_overlap.ts";

const OVERLAP = "1h";

const rotateCertificate = (name: string, tried: readonly Kind[]): Rotation => ({
  name,
  async renew(target) {
    const { deployment: { operator }, clientId } = target;
    const { change, fingerprint } = await issueCertificate(target);
    return {
      change,
      tried,
      refused: CERTIFICATE_ENDED,
      retire: () =>
        forOthers(
          target,
          `cert list ${clientId}`,
          "fingerprint",
          fingerprint,
          (old) => operator("cert revoke", old),
        ),
    };
  },
});

const clientSecret: Rotation = {
  name: "client secret",
  async renew(target) {
    const { deployment: { operator }, clientId } = target;
    const made = await operator("secret rotate", clientId, "--overlap", OVERLAP);
    const list = `secret list ${clientId}`;
    const kept = await newestOf(target, list, "secret_id");
    return {
      change: { client_secret: made.client_secret as string },
      // The token that was issued with the old secret stays valid for its ten minutes.
      tried: ["token", "write", "read"],
      refused: { token: "401 invalid_client" },
      retire: () =>
        forOthers(target, list, "secret_id", kept, (old) => operator("secret retire", clientId, old)),
    };
  },
};

const signingKey: Rotation = {
  name: "signing key",
  async renew(target) {
    const { deployment: { operator, state }, clientId } = target;
    const name = `signing_${randomUUID()}`;
    const folder = state.path("partners", clientId);
    const { publicFile } = await newKeyFiles(state, folder, name);
    const { thumbprint } = await operator("signing-key add", clientId, publicFile);
    return {
      change: { signing_key: `${folder}/${name}_key.pem` },
      tried: ["write", "read"],
      refused: { write: "401 signature_invalid" },
      retire: () =>
        forOthers(
          target,
          `signing-key list ${clientId}`,
          "thumbprint",
          thumbprint,
          (old) => operator("signing-key retire", clientId, old),
        ),
    };
  },
};

const webhookSecret: Rotation = {
  name: "webhook secret",
  async renew(target) {
    const { deployment: { operator }, clientId, inbox } = target;
    const made = await operator("webhook-secret rotate", clientId, "--overlap", OVERLAP);
    const list = `webhook-secret list ${clientId}`;
    const kept = await newestOf(target, list, "secret_id");
    const overlap = new WebhookOverlap(inbox, made.webhook_secret as string);
    await sleep(NEW_SECRETS_AFTER_MS);
    return {
      change: { webhook_secret: made.webhook_secret as string },
      tried: ["write", "read"],
      refused: {},
      retire: () =>
        overlap.end(() =>
          forOthers(
            target,
            list,
            "secret_id",
            kept,
            (old) => operator("webhook-secret retire", clientId, old),
          )
        ),
      async check(partner) {
        const { what, violations } = overlap.check();
        const others = await findOtherWebhookSecrets(partner, kept);
        return { what, violations: [...violations, ...others] };
      },
    };
  },
};

/** The rotations of a partner's credentials. */
export const PARTNER_ROTATIONS: readonly Rotation[] = [
  rotateCertificate("certificate", ["write", "read", "handshake"]),
  // Shows how soon reads are refused. The partner must not write, because a refused write makes the service
  // reload its registry.
  rotateCertificate("certificate of a partner that only reads", ["read", "handshake"]),
  clientSecret,
  signingKey,
  webhookSecret,
];

/** Reads the list as the partner itself sees it. */
async function findOtherWebhookSecrets({ current }: RotatingPartner, kept: string): Promise<string[]> {
  const reply = await current.send((trader) => trader.read("/v1/credentials"));
  if (typeof reply === "string" || reply.status !== 200) return ["the partner cannot read its credentials"];
  const { webhook_secrets } = JSON.parse(reply.body) as {
    webhook_secrets: { secret_id: string; retire_at: string | null }[];
  };
  const living = webhook_secrets.filter(({ retire_at }) =>
    retire_at === null || Date.parse(retire_at) > Date.now()
  );
  return living.length === 1 && living[0]!.secret_id === kept
    ? []
    : [`the partner sees ${living.length} valid webhook secret(s) instead of the new one`];
}
