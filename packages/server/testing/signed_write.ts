import type { Sql } from "postgres";
import type { TestKey } from "./partner.ts";
import { signWrite } from "./signed_orders.ts";

/** Signs a POST. Returns its parts as arguments of the booking functions in SQL; bytes are in Postgres's hex. */
export async function signedWrite(
  sql: Sql,
  key: Pick<TestKey, "signer" | "thumbprint">,
  path: string,
  body: string,
) {
  const [deployment] = await sql`select public_base_url as url from gold.deployment`;
  const { fingerprint, nonce, signedRequest, thumbprint } = await signWrite(
    key,
    new URL(path, deployment!.url),
    body,
  );
  return {
    nonce,
    fingerprint: `\\x${fingerprint}`,
    request: `\\x${signedRequest}`,
    thumbprint: `\\x${thumbprint}`,
  };
}
