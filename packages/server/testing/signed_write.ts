import { createHash, randomUUID } from "node:crypto";
import { canonicalRequest, readJson } from "@gold-partner/canonical";
import { signDetached } from "@gold-partner/jws";
import { hostBytes, idempotencyFingerprint } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import { storedRequest, thumbprintHex } from "../src/admission/signature/stored_request.ts";
import type { TestKey } from "./partner.ts";

/** Signs a request, and returns what the service passes to the database for it. Bytes are in Postgres's hex. */
export async function signedWrite(
  sql: Sql,
  { signer, thumbprint }: Pick<TestKey, "signer" | "thumbprint">,
  path: string,
  body: string,
) {
  const [deployment] = await sql`select public_base_url as url from gold.deployment`;
  const [timestamp, nonce] = [`${Math.floor(Date.now() / 1000)}`, randomUUID()];
  const bodySha256 = createHash("sha256").update(body).digest("hex");
  const url = deployment!.url + path;
  const signature = await signDetached(
    canonicalRequest({ method: "POST", url, bodySha256, timestamp, nonce }),
    signer,
  );
  const bytes = Buffer.from(body);
  const params = readJson(bytes);
  return {
    fingerprint: `\\x${idempotencyFingerprint({ method: "POST", path, params }, hostBytes)}`,
    nonce: createHash("sha256").update(nonce).digest("hex").slice(0, 32),
    request: `\\x${storedRequest("POST", path, { timestamp, nonce, signature, body: bytes as never })}`,
    thumbprint: `\\x${thumbprintHex(thumbprint)}`,
  };
}
