import { Buffer } from "node:buffer";
import { importSigningKey, keySigner, signCompact } from "@gold-partner/jws";
import { hostBytes } from "@gold-partner/protocol";
import { createSealing, readKeys } from "@gold-partner/server";
import type { Deployment } from "../stage/deployment.ts";
import { nowSeconds } from "../stage/trader.ts";

/** Signs a copy of a token that ends after `seconds`, with the service's own key. */
export async function shortenToken(
  { state, sql }: Deployment,
  token: string,
  seconds: number,
): Promise<string> {
  const [head = "", payload = ""] = token.split(".").map((part) => Buffer.from(part, "base64url").toString());
  const { kid, typ } = JSON.parse(head) as { kid: string; typ: string };
  const [row] = await sql<{ sealed: Uint8Array; sealing_key: string }[]>`
    select sealed, sealing_key from gold.token_key where kid = ${kid}`;
  const sealing = await createSealing(await readKeys(`file:${state.path("keys", "sealing_key")}`));
  const key = await importSigningKey(await sealing.open(row!.sealed, row!.sealing_key));
  const claims = JSON.stringify({ ...JSON.parse(payload) as object, exp: nowSeconds() + seconds });
  return await signCompact(hostBytes.utf8(claims), { typ }, keySigner(key, kid), hostBytes);
}
