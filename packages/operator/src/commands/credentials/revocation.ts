import type { Sql } from "postgres";
import type { Command, Invocation, Result } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { replaceFile } from "../../new_file.ts";
import { REVOCATION_REASONS } from "../../pki/crl.ts";
import { fingerprintOf, oneOf, optional, required, wholeNumber } from "../../values.ts";
import { noAuthority, readTrustedAuthorities } from "./authority.ts";
import { isInUse } from "./credential.ts";
import { LIST_DAYS, type Renewal, renewRevocationLists, withoutEnded } from "./revocation_list.ts";

const LIST_DAYS_MAX = 365;
const PUBLIC_FILE = 0o644;

const revoke: Command = {
  words: "cert revoke",
  usage: `cert revoke FINGERPRINT [--reason ${REVOCATION_REASONS.join("|")}]`,
  does: "revokes a certificate at once and permanently, and puts it on its authority's revocation list",
  options: { reason: { type: "string" } },
  takes: ["FINGERPRINT"],
  run: revokeCertificate,
};

/**
 * Revokes in the database first, so the service refuses the certificate before anything is signed. Then
 * renews the revocation list. If the renewal fails, `gold cert crl` renews the list.
 */
async function revokeCertificate(invocation: Invocation): Promise<Result> {
  const { values, positionals, db, confirm, keys } = invocation;
  const fingerprint = fingerprintOf(positionals[0]!);
  const given = optional(values, "reason");
  const reason = given === undefined ? null : oneOf(given, "reason", REVOCATION_REASONS);
  const { sql } = await db();
  const [certificate] = await sql`
    select public_id, authority, last_used_at from gold.certificate_overview where fingerprint = ${fingerprint}`;
  if (!certificate) {
    throw new Failure(EXIT.refused, "not_found", `There is no certificate ${fingerprint}.`);
  }
  const { public_id, authority, last_used_at } = certificate;
  const use = await isInUse(invocation, last_used_at)
    ? ` It is in use: it was last used at ${last_used_at.toISOString()}.`
    : "";
  await confirm(`Revoke ${fingerprint} of ${public_id}? This cannot be undone.${use}`);
  await sql`select gold.revoke_certificate(${fingerprint}, ${reason})`;
  const trusted = await readTrustedAuthorities(sql);
  const signers = trusted.filter((one) => authority === null || one.fingerprint === authority);
  const renewals = await renewRevocationLists(
    sql,
    await withoutEnded(sql, signers),
    (one) => keys.locate(`ca:${one}`),
  );
  const failed = renewals.filter(({ failure }) => failure !== null);
  const warning = failed.length > 0
    ? `The certificate is revoked and the service refuses it. But ITS REVOCATION LIST WAS NOT RENEWED, so the proxy still lets it connect. Run \`gold cert crl\` as soon as the authority's key can be reached. ${
      describeFailures(failed)
    }`
    : undefined;
  return {
    object: {
      client_id: public_id,
      fingerprint,
      status: "revoked",
      revocation_list: warning ? "not renewed" : renewals.length > 0 ? "renewed" : "none",
      ...(warning ? { warning } : {}),
    },
  };
}

const crl: Command = {
  words: "cert crl",
  usage: "cert crl [--out FILE] [--days N]",
  does: "renews the revocation list of each trusted authority that has not expired; run it daily",
  options: { out: { type: "string" }, days: { type: "string", default: `${LIST_DAYS}` } },
  async run({ values, db, path, keys }) {
    const { sql } = await db();
    const days = wholeNumber(required(values, "days"), "days");
    if (days > LIST_DAYS_MAX) throw usage(`--days must be at most ${LIST_DAYS_MAX}; got ${days}.`);
    const out = optional(values, "out");
    const trusted = await readTrustedAuthorities(sql);
    if (trusted.length === 0) throw noAuthority();
    const renewals = await renewRevocationLists(
      sql,
      await withoutEnded(sql, trusted),
      (one) => keys.locate(`ca:${one}`),
      days,
    );
    if (out !== undefined) {
      await replaceFile(path(out), await readLists(sql), PUBLIC_FILE).catch((error: Error) => {
        throw usage(
          `${out} was not written: ${error.message}. The revocation lists in the database were renewed.`,
        );
      });
    }
    const failed = renewals.filter(({ failure }) => failure !== null);
    if (failed.length > 0) {
      throw new Failure(
        EXIT.dependency,
        "revocation_list_not_renewed",
        `${failed.length} of ${renewals.length} revocation lists were not renewed. When one of them expires, the proxy gets no list at all. ${
          describeFailures(failed)
        }`,
      );
    }
    return {
      items: renewals.map(({ fingerprint, number, nextAt, revoked }) => ({
        authority: fingerprint,
        number,
        next_at: nextAt!.toISOString(),
        revoked,
      })),
    };
  },
};

export const REVOCATION_COMMANDS: readonly Command[] = [revoke, crl];

/** Returns the revocation lists of the trusted authorities. The newest authority's list is the last one. */
async function readLists(sql: Sql): Promise<string> {
  const rows = await sql`
    select revocation_list from gold.authority_overview where retired_at is null and revocation_list is not null order by created_at`;
  return rows.map(({ revocation_list }) => revocation_list).join("");
}

/** Says each reason once, after all authorities that have it. */
function describeFailures(failed: readonly Renewal[]): string {
  const reasons = new Map<string, string[]>();
  for (const { fingerprint, failure } of failed) {
    reasons.set(failure!.message, [...reasons.get(failure!.message) ?? [], fingerprint]);
  }
  return [...reasons].map(([reason, named]) => `Authority ${named.join(", ")}: ${reason}`).join(" ");
}
