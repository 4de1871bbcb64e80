import { type ApprovalDocument, authorityRow, type SignedRegistry } from "@gold-partner/approvals";
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
  /** How many CAs are left out, because two people did not sign for them. */
  readonly unsigned: number;
}

interface TrustDocument {
  readonly authorities: readonly {
    readonly certificate: string;
    readonly revocation_list: string | null;
    readonly revocation_next_at: string | null;
  }[];
}

interface TrustRead {
  readonly version: string;
  readonly document: TrustDocument | null;
  readonly approvals: ApprovalDocument | null;
}

/**
 * Reads the trusted CAs. Returns `known` unchanged if the registry version is the same. With `signatures`,
 * leaves out CAs for which two people did not sign.
 */
export async function readAuthorities(
  sql: Sql,
  known?: TrustedAuthorities,
  signatures?: Pick<SignedRegistry, "read">,
): Promise<TrustedAuthorities> {
  const wanted = signatures !== undefined;
  const [row] = await sql<TrustRead[]>`
    with read as (select * from gold.read_trust(${known?.version ?? null}::text::bigint))
    select version::text, document,
      case when document is not null and ${wanted} then gold.read_trust_approvals() end as approvals
    from read`;
  if (!row) throw new Error("The database has no registry yet: run `gold db migrate`.");
  if (!row.document) return known!;
  const signed = row.approvals ? await signatures!.read(row.approvals) : undefined;
  const trusted = row.document.authorities.filter((one) =>
    signed?.has(authorityRow(one.certificate)) ?? true
  );
  const authorities = trusted.map((one): Authority => ({
    certificate: one.certificate,
    revocationList: one.revocation_list ?? undefined,
    // 0 for values that Date.parse cannot read, such as infinity, so that the list is overdue. NaN would
    // never count as past.
    listEndsMs: Date.parse(one.revocation_next_at ?? "") || 0,
  }));
  return { version: row.version, authorities, unsigned: row.document.authorities.length - trusted.length };
}
