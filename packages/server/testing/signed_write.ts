import type { Sql } from "postgres";
import { byteaLiteral } from "../src/database/array_literal.ts";
import type { TestKey } from "./partner.ts";
import { signWrite } from "./signed_orders.ts";

/** Signs a POST. Returns its parts as arguments of the booking functions in SQL. */
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
    signedRequest: byteaLiteral(signedRequest),
    thumbprint: `\\x${thumbprint}`,
  };
}
