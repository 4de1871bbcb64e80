import type { Sql } from "postgres";

/** A CA that signs partners' certificates, and its newest revocation list. Both are PEM. */
export interface Authority {
  readonly certificate: string;
  readonly revocationList: string | undefined;
  /**
   * When the CA's next list is due, in Unix milliseconds. From then on, a proxy that still holds this list
   * refuses every certificate of the CA.
   */
  readonly listEndsMs: number;
}

/** The CAs that the deployment trusts, as of one version of the registry. */
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

/** Reads the trusted CAs. Returns `known` unchanged if the registry version is the same. */
export async function readAuthorities(sql: Sql, known?: TrustedAuthorities): Promise<TrustedAuthorities> {
  const [row] = await sql<{ version: string; document: TrustDocument | null }[]>`
    select version::text, document from gold.read_trust(${known?.version ?? null}::text::bigint)`;
  if (!row) throw new Error("The database has no registry yet: run `gold db migrate`.");
  if (!row.document) return known!;
  const authorities = row.document.authorities.map((one): Authority => ({
    certificate: one.certificate,
    revocationList: one.revocation_list ?? undefined,
    // 0 for values that Date.parse cannot read, such as infinity, so that the list is overdue. NaN would
    // never count as past.
    listEndsMs: Date.parse(one.revocation_next_at ?? "") || 0,
  }));
  return { version: row.version, authorities };
}
