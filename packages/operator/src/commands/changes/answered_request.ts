import { createHash, X509Certificate } from "node:crypto";
import type { ChangeContent } from "@gold-partner/protocol";
import { EXIT, Failure } from "../../failure.ts";
import { readCsr } from "../../pki/mod.ts";
import type { Query } from "../../query.ts";

/**
 * Someone with a stolen certificate, token and signing key can make a request, so each answer shows this
 * warning.
 */
export const ASKED_OVER_API = "Asked by the partner over the API: compare by another channel.";

/**
 * Checks the certificate of a proposal that answers a certificate request. The database compares the hashes that the
 * proposal states, but cannot parse the certificate.
 *
 * @throws Failure if the certificate differs from the proposal's fingerprint, or its key from the request's.
 */
export async function requireRequestedKey(
  query: Query,
  proposal: string,
  { request, fingerprint, key_hash }: Readonly<Record<string, unknown>>,
): Promise<void> {
  // Only some roles may read requests.
  if (typeof request !== "string") return;
  const [row] = await query`
    select content, certificate from gold.change_overview
    where kind = 'certificate_request' and 'chg_' || id = ${request} and proposal = ${proposal}::uuid`;
  // The database refuses to approve a proposal with which the request was not taken up.
  if (!row) return;
  const { certificate_request } = JSON.parse(row.content) as Extract<
    ChangeContent,
    { readonly certificate_request: string }
  >;
  const { raw, publicKey } = new X509Certificate(row.certificate);
  const found = [
    raw,
    publicKey.export({ type: "spki", format: "der" }),
    (await readCsr(certificate_request)).publicKeySpki,
  ]
    .map((bytes) => createHash("sha256").update(bytes).digest("hex"));
  if (found.join() === [fingerprint, key_hash, key_hash].join()) return;
  throw new Failure(
    EXIT.defect,
    "certificate_differs",
    `The certificate of this proposal is not for the key that the partner asked for with ${request}. Nothing was done. Reject the proposal, and ask the person who proposed it.`,
  );
}
