import type { Sql } from "postgres";

/** Who signs partners' certificates, and the newest list of those that it revoked. Both PEM. */
export interface Authority {
  readonly certificate: string;
  readonly revocationList: string | undefined;
  /** When the next list is due: from then on nobody is let in by this one. */
  readonly listEndsMs: number;
}

/** Those that the deployment trusts, as of one version of its registry. */
export interface TrustedAuthorities {
  readonly version: string;
  readonly authorities: readonly Authority[];
}

interface TrustDocument {
  readonly authorities: readonly {
    readonly certificate: string;
    readonly revocation_list: string | null;
    readonly revocation_next_at: string | null;
  }[];
}

/** What is known already comes back as it is while the registry's version stands. */
export async function readAuthorities(sql: Sql, known?: TrustedAuthorities): Promise<TrustedAuthorities> {
  const [row] = await sql<{ version: string; document: TrustDocument | null }[]>`
    select version::text, document from gold.read_trust(${known?.version ?? null}::text::bigint)`;
  if (!row) throw new Error("The database has no registry yet: run `gold db migrate`.");
  if (!row.document) return known!;
  const authorities = row.document.authorities.map((one): Authority => ({
    certificate: one.certificate,
    revocationList: one.revocation_list ?? undefined,
    // An instant that JavaScript cannot read, such as infinity, would never be past; the list counts as overdue instead.
    listEndsMs: Date.parse(one.revocation_next_at ?? "") || 0,
  }));
  return { version: row.version, authorities };
}
