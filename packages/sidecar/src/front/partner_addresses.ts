import { allowedIpsRow, type ApprovalDocument, type SignedRegistry } from "@gold-partner/approvals";
import type { Sql } from "postgres";

/** Ranges of addresses as CIDR text, each with the public id of the partner that registered it. */
export type PartnerAddresses = ReadonlyMap<string, string>;

/** The registered addresses as of one version of the registry. */
export interface KnownAddresses {
  readonly version: string;
  readonly addresses: PartnerAddresses;
  /** How many partners are left out, because two people did not sign for their addresses. */
  readonly unsigned: number;
}

interface Row {
  readonly version: string;
  /** Null if the registry still has the known version. */
  readonly partners: readonly { readonly id: string; readonly ranges: readonly string[] }[] | null;
  readonly approvals: ApprovalDocument | null;
}

/**
 * Reads the addresses of all partners that are not suspended. Returns `known` if the registry version is the
 * same. With `signatures`, leaves out partners for whose addresses two people did not sign.
 */
export async function readPartnerAddresses(
  sql: Sql,
  known?: KnownAddresses,
  signatures?: Pick<SignedRegistry, "read">,
): Promise<KnownAddresses> {
  const wanted = signatures !== undefined;
  const [row] = await sql<Row[]>`
    with read as (select * from gold.read_addresses(${known?.version ?? null}::text::bigint))
    select version::text, partners,
      case when partners is not null and ${wanted} then gold.read_trust_approvals() end as approvals
    from read`;
  if (!row) throw new Error("The database has no registry yet: run `gold db migrate`.");
  if (!row.partners) return known!;
  const signed = row.approvals ? await signatures!.read(row.approvals) : undefined;
  const partners = row.partners.filter(({ id, ranges }) =>
    ranges.length === 0 || (signed?.has(allowedIpsRow(id, ranges)) ?? true)
  );
  const addresses = new Map<string, string>();
  for (const { id, ranges } of partners) {
    // Several partners may register the same range. HAProxy cannot distinguish them before TLS, so
    // connections from this range count for the first of them.
    for (const range of ranges) if (!addresses.has(range)) addresses.set(range, id);
  }
  return { version: row.version, addresses, unsigned: row.partners.length - partners.length };
}
