import { readFile } from "node:fs/promises";
import type { Command, Invocation, Result } from "../../command.ts";
import { readClock } from "../../database.ts";
import { withNewFile } from "../../new_file.ts";
import { instantOf } from "../../output.ts";
import { issueClientCertificate, readCsr } from "../../pki/mod.ts";
import { AUTHORITY_NOTICE_DAYS, endsWithin } from "../../pki/validity.ts";
import { required } from "../../values.ts";
import { noAuthority, openTrustedAuthority, readTrustedAuthorities } from "./authority.ts";
import { changeOrPropose } from "../changes/proposing.ts";
import { findPartner } from "../partners/registered_partner.ts";

const issue: Command = {
  words: "cert issue",
  usage: "cert issue ID --csr FILE --out FILE",
  does: "issues a certificate for a partner's request and registers it; it is valid for one year",
  options: { csr: { type: "string" }, out: { type: "string" } },
  takes: ["ID"],
  run: issueCertificate,
};

export async function issueCertificate(
  invocation: Invocation,
): Promise<Result> {
  const { values, positionals: [id], path } = invocation;
  const read = () => readFile(path(required(values, "csr")), "utf8");
  const { pem, change, object, warning } = await signRequest(invocation, id!, read);
  const out = path(required(values, "out"));
  const result = { object: { ...object, file: out, ...(warning ? { warning } : {}) } };
  return await withNewFile(out, pem, () => changeOrPropose(invocation, change, result), { isOnlyCopy: true });
}

/** Signs a certificate for a partner's request. Also returns the change that registers this certificate. */
export async function signRequest(
  { db, query, keys }: Invocation,
  id: string,
  readRequest: () => Promise<string>,
) {
  const { sql } = await db();
  const { name } = await findPartner(query, id);
  const newest = (await readTrustedAuthorities(sql)).at(-1);
  if (!newest) throw noAuthority();
  const authority = await openTrustedAuthority(newest, await keys.locate(`ca:${newest.fingerprint}`));
  const issuedAt = await readClock(sql);
  const { pem, fingerprint, serial, notBefore, notAfter, spkiSha256 } = await issueClientCertificate({
    csr: await readCsr(await readRequest()),
    authority,
    clientId: id,
    organization: name,
    issuedAt,
  });
  const { notAfter: authorityEnd } = authority.validity;
  const warning = endsWithin(authorityEnd, issuedAt, AUTHORITY_NOTICE_DAYS) &&
    `The authority expires at ${authorityEnd.toISOString()} and cannot sign a certificate that would outlive it. Add a new authority: \`gold key rotate ca\`.`;
  // If this is only proposed, the service refuses the certificate until the approval.
  const change = {
    kind: "certificate.issue",
    content: {
      client_id: id,
      fingerprint,
      serial,
      not_before: notBefore.toISOString(),
      not_after: notAfter.toISOString(),
      authority: newest.fingerprint,
      key_hash: spkiSha256,
    },
  } as const;
  return { pem, change, object: { client_id: id, fingerprint, not_after: notAfter.toISOString() }, warning };
}

const list: Command = {
  words: "cert list",
  usage: "cert list ID",
  does: "lists a partner's certificates",
  takes: ["ID"],
  async run({ query, positionals: [id], now }) {
    await findPartner(query, id!);
    const rows =
      await query`select * from gold.certificate_overview where public_id = ${id!} order by created_at`;
    const stateOf = (row: { revoked_at: Date | null; not_after: Date }) =>
      row.revoked_at ? "revoked" : row.not_after <= now() ? "expired" : "active";
    return {
      items: rows.map((row) => ({
        fingerprint: row.fingerprint,
        status: stateOf(row as { revoked_at: Date | null; not_after: Date }),
        not_before: row.not_before.toISOString(),
        not_after: row.not_after.toISOString(),
        last_used_at: instantOf(row.last_used_at),
        revocation_reason: row.revocation_reason,
      })),
    };
  },
};

export const CERT_COMMANDS: readonly Command[] = [issue, list];
