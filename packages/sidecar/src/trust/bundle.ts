import { X509Certificate } from "node:crypto";
import type { Authority } from "./authority.ts";
import type { Complaint } from "./log.ts";
import type { Trust } from "./trust_folder.ts";

interface Bundle {
  readonly trust: Trust;
  readonly complaints: readonly Complaint[];
}

/**
 * A CA is left out from this long before it expires. All lists are left out from this long before one of them
 * is overdue.
 */
const MARGIN_MS = 5000;
const LIST_FORM = /^-----BEGIN X509 CRL-----\n(?:[A-Za-z0-9+/=]+\n)+-----END X509 CRL-----\n?$/;

/**
 * Composes what the proxy may trust now. Leaves out an expired CA, because it can break the clients of other
 * CAs. Returns no list at all if the list of one CA is missing, unreadable or overdue. A proxy that has any
 * list requires a list for every CA, and would refuse the partners of that CA. The service still refuses a
 * revoked certificate at each request.
 */
export function composeBundle(authorities: readonly Authority[], nowMs: number): Bundle {
  const complaints: Complaint[] = [];
  const certificates: string[] = [];
  const lists: string[] = [];
  const isPast = (endMs: number) => endMs <= nowMs + MARGIN_MS;
  for (const { certificate, revocationList, listEndsMs } of authorities) {
    const read = readCertificate(certificate);
    if (!read) {
      complaints.push({ event: "an authority's certificate cannot be read" });
      continue;
    }
    const authority = read.fingerprint256.replaceAll(":", "").toLowerCase();
    if (isPast(Date.parse(read.validTo))) {
      complaints.push({ event: "an authority has expired", authority });
      continue;
    }
    certificates.push(`${read.toString().trim()}\n`);
    const text = revocationList?.replaceAll("\r", "").trim();
    if (text === undefined) complaints.push({ event: "an authority has no revocation list", authority });
    else if (!LIST_FORM.test(text)) {
      complaints.push({ event: "an authority's revocation list cannot be read", authority });
    } else if (isPast(listEndsMs)) {
      complaints.push({ event: "an authority's revocation list is overdue", authority });
    } else lists.push(`${text}\n`);
  }
  const complete = lists.length === certificates.length;
  if (!complete) complaints.push({ event: "the proxy gets no revocation list at all" });
  return { trust: { certificates, revocationLists: complete ? lists : [] }, complaints };
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
