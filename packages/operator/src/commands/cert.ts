import { readFile } from "node:fs/promises";
import type { Command } from "../command.ts";
import type { Deployment } from "../database.ts";
import { EXIT, Failure } from "../failure.ts";
import { withNewFile } from "../new_file.ts";
import {
  issueClientCertificate,
  openAuthority,
  readAuthorityKey,
  readCsr,
  useSigningCommand,
} from "../pki/mod.ts";
import { required } from "../values.ts";

const issue: Command = {
  words: "cert issue",
  usage: "cert issue ID --csr FILE --out FILE",
  does: "signs a partner's request; the certificate is registered and valid for a year",
  options: { csr: { type: "string" }, out: { type: "string" } },
  takes: ["ID"],
  async run({ values, positionals: [id], db, path, now }) {
    const { sql, deployment } = await db();
    const [partner] = await sql`select name from gold.partner_overview where public_id = ${id!}`;
    if (!partner) throw new Failure(EXIT.refused, "not_found", `There is no partner ${id}.`);
    const authority = await openSettledAuthority(await deployment());
    const certificate = await issueClientCertificate({
      csr: await readCsr(await readFile(path(required(values, "csr")), "utf8")),
      authority,
      clientId: id!,
      organization: partner.name,
      issuedAt: now(),
    });
    const out = path(required(values, "out"));
    const { fingerprint, serial, notBefore, notAfter } = certificate;
    await withNewFile(
      out,
      certificate.pem,
      () => sql`select gold.add_certificate(${id!}, ${fingerprint}, ${serial}, ${notBefore}, ${notAfter})`,
    );
    return {
      object: {
        client_id: id!,
        fingerprint,
        not_after: notAfter.toISOString(),
        file: out,
      },
    };
  },
};

const list: Command = {
  words: "cert list",
  usage: "cert list ID",
  does: "a partner's certificates",
  takes: ["ID"],
  async run({ query, positionals: [id], now }) {
    const [partner] = await query`select from gold.partner_overview where public_id = ${id!}`;
    if (!partner) throw new Failure(EXIT.refused, "not_found", `There is no partner ${id}.`);
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
      })),
    };
  },
};

const revoke: Command = {
  words: "cert revoke",
  usage: "cert revoke FINGERPRINT",
  does: "ends a certificate at once, for good",
  takes: ["FINGERPRINT"],
  asks: ([fingerprint]) => `Revoke ${fingerprint}? It cannot be undone.`,
  async run({ query, positionals: [fingerprint] }) {
    const [row] = await query`select gold.revoke_certificate(${fingerprint!}) as client_id`;
    return { object: { client_id: row!.client_id, fingerprint: fingerprint!, status: "revoked" } };
  },
};

export const CERT_COMMANDS: readonly Command[] = [issue, list, revoke];

async function openSettledAuthority({ authorityCertificates, authorityKeySource }: Deployment) {
  if (!authorityKeySource) {
    throw new Failure(
      EXIT.refused,
      "no_authority",
      "There is no certificate authority yet: run `gold ca init`.",
    );
  }
  const place = authorityKeySource.slice(authorityKeySource.indexOf(":") + 1);
  const key = authorityKeySource.startsWith("file:")
    ? await readAuthorityKey(await readFile(place, "utf8"))
    : useSigningCommand(place.split(" "));
  // The newest certificate stands last; the older ones are kept while certificates under them live.
  const newest = authorityCertificates.slice(
    authorityCertificates.lastIndexOf("-----BEGIN CERTIFICATE-----"),
  );
  return await openAuthority(newest, key);
}
