import { Buffer } from "node:buffer";
import { parseWebhookSecret } from "@gold-partner/protocol";
import type { Log } from "../operations/log.ts";
import type { Sealing } from "../settings/sealing.ts";
import type { SealedSecret } from "./delivery_store.ts";
import type { OpenSecret } from "./held_endpoint.ts";

type OpenSecrets = (partner: number, sealed: readonly SealedSecret[]) => Promise<readonly OpenSecret[]>;

/**
 * Decrypts partners' webhook secrets. A failure to decrypt a secret is logged once. It is logged again only
 * if decryption succeeded in between. The partner's other secrets still sign, and a receiver that knows one
 * of them can verify the webhook.
 */
export function createSecretOpener(
  sealing: Sealing,
  publicIdOf: (client: number) => string | undefined,
  log: Log,
): OpenSecrets {
  const reported = new Set<string>();
  const report = (client: number, name: string, fields: Parameters<Log>[2]) => {
    if (reported.has(name)) return;
    reported.add(name);
    const publicId = publicIdOf(client);
    log("error", "webhook secret not opened", { ...publicId && { client_id: publicId }, ...fields });
  };
  return async (client, sealed) => {
    if (sealed.length === 0) report(client, `${client}`, { code: "none_active" });
    else reported.delete(`${client}`);
    const opened = await Promise.all(sealed.map(async (one): Promise<readonly OpenSecret[]> => {
      const name = `${client} ${one.id}`;
      try {
        const text = await sealing.open(Buffer.from(one.sealed, "base64"), one.sealing_key);
        const retireAtMs = one.retire_at === null ? Infinity : Date.parse(one.retire_at);
        const open = { id: one.id, retireAtMs, secret: parseWebhookSecret(text) };
        reported.delete(name);
        return [open];
      } catch {
        report(client, name, { setting: "SEALING_KEY_SOURCE", sealing_key: one.sealing_key });
        return [];
      }
    }));
    return opened.flat();
  };
}
