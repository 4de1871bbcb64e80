import type { KeySource } from "@gold-partner/server";
import type { Sql } from "postgres";
import { readClock } from "../../database.ts";
import { EXIT, Failure, failureOf } from "../../failure.ts";
import { readCertificate } from "../../pki/certificate.ts";
import { issueCrl, type RevocationReason } from "../../pki/crl.ts";
import type { Authority } from "../../pki/mod.ts";
import { daysFrom } from "../../pki/validity.ts";
import { openTrustedAuthority, type TrustedAuthority } from "./authority.ts";

/**
 * How many days a list is valid. `gold cert crl` should run daily and makes a new list each time. A list is
 * valid much longer than a day, because one expired list leaves the proxy without any list.
 */
export const LIST_DAYS = 90;
const ATTEMPTS_MAX = 10;

export interface Renewal {
  readonly fingerprint: string;
  /** The number of the new list; null if the list was not renewed. */
  readonly number: number | null;
  readonly nextAt: Date | null;
  readonly revoked: number | null;
  readonly failure: Failure | null;
}

/**
 * Renews the list of each authority. If a key cannot be reached, that
 * authority keeps its list, and the other lists are still renewed.
 */
export async function renewRevocationLists(
  sql: Sql,
  authorities: readonly TrustedAuthority[],
  locate: (fingerprint: string) => Promise<KeySource>,
  days = LIST_DAYS,
): Promise<Renewal[]> {
  const renewals: Renewal[] = [];
  for (const authority of authorities) {
    const { fingerprint } = authority;
    try {
      const opened = await openTrustedAuthority(authority, await locate(fingerprint));
      renewals.push({
        fingerprint,
        ...await renewRevocationList(sql, fingerprint, opened, days),
        failure: null,
      });
    } catch (error) {
      const failure = failureOf(error);
      renewals.push({ fingerprint, number: null, nextAt: null, revoked: null, failure });
    }
  }
  return renewals;
}

/** Leaves out authorities that have expired. Their certificates are refused with or without a list. */
export async function withoutEnded(
  sql: Sql,
  authorities: readonly TrustedAuthority[],
): Promise<TrustedAuthority[]> {
  const at = await readClock(sql);
  return authorities.filter(({ certificate }) => readCertificate(certificate).notAfter > at);
}

interface StandingRow {
  readonly at: Date;
  readonly number: string;
  readonly revoked: readonly { serial: string; revoked_at: string; reason: RevocationReason | null }[];
}

/**
 * Renews one list. No lock is held while the key signs, so another command may store a list with the same
 * number first. The list is then made again from fresh data, with the next number.
 */
async function renewRevocationList(sql: Sql, fingerprint: string, authority: Authority, days: number) {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { at, number, revoked } = await readStanding(sql, fingerprint);
    const { notBefore: thisUpdate, notAfter: nextAt } = daysFrom(at, days);
    const next = Number(number) + 1;
    const list = await issueCrl({
      authority,
      // The list is backdated, so that a verifier whose clock is behind accepts it. No entry may have a later
      // date than the list.
      revoked: revoked.map(({ serial, revoked_at, reason }) => ({
        serial,
        revokedAt: new Date(Math.min(Date.parse(revoked_at), thisUpdate.getTime())),
        reason: reason ?? "unspecified",
      })),
      number: next,
      thisUpdate,
      nextUpdate: nextAt,
    });
    const [row] = await sql`
      select gold.store_revocation_list(${fingerprint}, ${`${next}`}::text::bigint, ${list}, ${nextAt}) as stored`;
    if (row!.stored) return { number: next, nextAt, revoked: revoked.length };
  }
  throw new Failure(
    EXIT.dependency,
    "busy",
    "Other commands kept renewing this list while it was being signed. Run the command again.",
  );
}

/**
 * Reads the data of the next list from one snapshot. The date is the database's, because a list with a date
 * in the future would lock every partner out.
 */
async function readStanding(sql: Sql, fingerprint: string): Promise<StandingRow> {
  // Keep an expired certificate on the list for one more day, for clocks that are behind. Put a certificate
  // of an unknown authority on every list.
  const [row] = await sql<StandingRow[]>`
    select clock_timestamp() as at, a.revocation_number::text as number, coalesce((
      select jsonb_agg(jsonb_build_object('serial', c.serial, 'revoked_at', c.revoked_at, 'reason', c.revocation_reason) order by c.revoked_at, c.serial)
      from gold.certificate_overview c
      where coalesce(c.authority, a.fingerprint) = a.fingerprint and c.revoked_at is not null and c.not_after > clock_timestamp() - interval '1 day'
    ), '[]') as revoked
    from gold.authority_overview a where a.fingerprint = ${fingerprint} and a.retired_at is null`;
  if (row) return row;
  throw new Failure(
    EXIT.refused,
    "refused",
    `The authority ${fingerprint} was retired while this command ran.`,
  );
}
