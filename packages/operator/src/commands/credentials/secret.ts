import { newClientSecret } from "./new_secret.ts";
import { hexOf } from "../changes/proposing.ts";
import { secretCommands } from "./rotating_secret.ts";

/**
 * The commands for client secrets, with which a partner gets its tokens. A token stays valid for up to ten
 * minutes after its secret was retired.
 */
export const SECRET_COMMANDS = secretCommands({
  word: "secret",
  kind: "client_secret",
  noun: "client secret",
  meanwhile: "The partner can use the older ones until they retire.",
  async make(invocation) {
    const { text, hash } = await newClientSecret(invocation);
    return { text, content: { hash: hexOf(hash) } };
  },
  async retire({ query }, id, secretId, seen) {
    const [row] =
      await query`select gold.retire_client_secret(${id}, ${secretId}::text::int, ${seen}::text::timestamptz) as at`;
    return row!.at;
  },
});
