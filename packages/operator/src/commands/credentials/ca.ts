import type { Command } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { readCertificate } from "../../pki/certificate.ts";
import { fingerprintOf } from "../../values.ts";
import { readTrustedAuthorities } from "./authority.ts";
import { addAuthority, NEW_AUTHORITY, readKeySource } from "./new_authority.ts";
import { renewRevocationLists } from "./revocation_list.ts";

const NAMED_MAX = 5;

const init: Command = {
  words: "ca init",
  usage: `ca init ${NEW_AUTHORITY.usage}`,
  does:
    "creates the environment's certificate authority; writes its new private key to FILE only, or uses a key behind a signing command",
  options: NEW_AUTHORITY.options,
  run: (invocation) => addAuthority(invocation, true),
};

const show: Command = {
  words: "ca show",
  usage: "ca show",
  does:
    "shows the CA certificates that partners' certificates are verified with, and where the signing key is",
  async run({ db, keys }) {
    const { sql } = await db();
    const trusted = await readTrustedAuthorities(sql);
    const certificates = trusted.map(({ certificate }) => certificate).join("");
    const newest = trusted.at(-1);
    const source = newest && await keys.find(`ca:${newest.fingerprint}`);
    return { object: { certificates, key_source: source ?? null } };
  },
};

const list: Command = {
  words: "ca list",
  usage: "ca list",
  does:
    "lists every authority: which one signs, how many valid certificates it has, and until when its revocation list is valid",
  async run({ query, now, keys }) {
    const rows = await query`
      select a.fingerprint, a.certificate, a.retired_at, a.revocation_next_at, a.revocation_number::int, u.certificates, u.last_used_at, a.fingerprint = (
        select n.fingerprint from gold.authority_overview n where n.retired_at is null order by n.created_at desc limit 1) as newest
      from gold.authority_overview a, lateral (
        select count(*)::int as certificates, max(c.last_used_at) as last_used_at from gold.certificate_overview c
        where c.authority = a.fingerprint and c.revoked_at is null and c.not_after > clock_timestamp()) u
      order by a.created_at`;
    return {
      items: await Promise.all(rows.map(async (row) => {
        const { notAfter } = readCertificate(row.certificate);
        const stands = notAfter <= now() ? "expired" : row.newest ? "signs" : "trusted";
        return {
          fingerprint: row.fingerprint,
          status: row.retired_at ? "retired" : stands,
          not_after: notAfter.toISOString(),
          certificates: row.certificates,
          last_used_at: instantOf(row.last_used_at),
          key_source: await keys.find(`ca:${row.fingerprint}`) ?? null,
          revocation_number: row.revocation_number,
          revocation_list_until: instantOf(row.revocation_next_at),
        };
      })),
    };
  },
};

const moveKey: Command = {
  words: "ca move-key",
  usage: 'ca move-key FINGERPRINT (--key FILE | --command "PROGRAM ARGUMENT…")',
  does:
    "records in the key file where an authority's key is now; the key must sign a new revocation list to prove it",
  options: { key: { type: "string" }, command: { type: "string" } },
  takes: ["FINGERPRINT"],
  async run({ values, db, path, positionals, keys }) {
    const fingerprint = fingerprintOf(positionals[0]!);
    const { sql } = await db();
    const known = (await readTrustedAuthorities(sql)).find((one) => one.fingerprint === fingerprint);
    if (!known) {
      throw new Failure(
        EXIT.refused,
        "not_found",
        `There is no trusted authority ${fingerprint}. \`gold ca list\` shows all authorities.`,
      );
    }
    const keySource = readKeySource(values, path);
    const [renewal] = await renewRevocationLists(sql, [known], () => Promise.resolve(keySource));
    if (renewal!.failure) throw renewal!.failure;
    await keys.record(`ca:${fingerprint}`, keySource);
    return { object: { fingerprint, key_source: keySource } };
  },
};

const retire: Command = {
  words: "ca retire",
  usage: "ca retire FINGERPRINT",
  does: "removes an older authority from the CA bundle and revokes its certificates that are still valid",
  takes: ["FINGERPRINT"],
  async run({ query, confirm, positionals }) {
    const fingerprint = fingerprintOf(positionals[0]!);
    // Also count the certificates whose authority is not recorded (authority is null). Old versions did not
    // record it. If this authority signed such a certificate, the proxy refuses it after the retirement. So
    // the question below mentions their number.
    const [standing] = await query`
      select count(*) filter (where authority = ${fingerprint})::int as certificates, count(*) filter (where authority is null)::int as unknown,
        max(last_used_at) filter (where authority = ${fingerprint}) as last_used_at,
        coalesce(array_agg(distinct public_id) filter (where authority = ${fingerprint}), '{}') as partners
      from gold.certificate_overview where revoked_at is null and not_after > clock_timestamp()`;
    await confirm(questionOf(fingerprint, standing as Standing));
    const [row] = await query`select gold.retire_authority(${fingerprint}) as revoked`;
    return { object: { fingerprint, status: "retired", revoked: row!.revoked } };
  },
};

export const CA_COMMANDS: readonly Command[] = [init, show, list, moveKey, retire];

interface Standing {
  readonly certificates: number;
  readonly unknown: number;
  readonly last_used_at: Date | null;
  readonly partners: readonly string[];
}

function questionOf(
  fingerprint: string,
  { certificates, unknown, last_used_at, partners }: Standing,
): string {
  const named = partners.slice(0, NAMED_MAX).join(", ");
  const others = partners.length > NAMED_MAX ? ` and ${partners.length - NAMED_MAX} more` : "";
  const standing = certificates === 0
    ? "It has no unexpired certificates."
    : `${certificates} unexpired certificate(s) of ${named}${others} will be revoked with it; ${
      last_used_at ? `they were last used at ${last_used_at.toISOString()}` : "none was ever used"
    }.`;
  const doubtful = unknown === 0
    ? ""
    : ` For ${unknown} more, the authority that signed them is not recorded: if it is this one, the proxy refuses them, too.`;
  return `Retire the authority ${fingerprint}? This cannot be undone. ${standing}${doubtful}`;
}
