import { newSealedSecret } from "./new_secret.ts";
import { hexOf } from "../changes/proposing.ts";
import { secretCommands } from "./rotating_secret.ts";

/** The commands for webhook secrets, with which a partner verifies our webhooks. */
export const WEBHOOK_SECRET_COMMANDS = secretCommands({
  word: "webhook-secret",
  kind: "webhook_secret",
  noun: "webhook secret",
  meanwhile:
    "Until the older ones retire, every webhook is signed with the new secret and with each older one.",
  async make({ random, keys }) {
    const { text, sealed, keyName } = await newSealedSecret(keys, random);
    return { text, content: { sealed: hexOf(sealed), sealing_key: keyName } };
  },
  async retire({ query }, id, secretId, seen) {
    const [row] =
      await query`select gold.retire_webhook_secret(${id}, ${secretId}::text::int, ${seen}::text::timestamptz) as at`;
    return row!.at;
  },
});
