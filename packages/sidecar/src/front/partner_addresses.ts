import type { Sql } from "postgres";

/** Ranges of addresses as CIDR text, each with the public id of the partner that registered it. */
export type PartnerAddresses = ReadonlyMap<string, string>;

/** The registered addresses as of one version of the registry. */
export interface KnownAddresses {
  readonly version: string;
  readonly addresses: PartnerAddresses;
}

interface Row {
  readonly version: string;
  /** Null if the registry still has the known version. */
  readonly partners: readonly { readonly id: string; readonly ranges: readonly string[] }[] | null;
}

/**
 * Reads the addresses of all partners that are not suspended. Returns `known` if the registry version is the
 * same.
 */
export async function readPartnerAddresses(sql: Sql, known?: KnownAddresses): Promise<KnownAddresses> {
  const [row] = await sql<Row[]>`
    select version::text, partners from gold.read_addresses(${known?.version ?? null}::text::bigint)`;
  if (!row) throw new Error("The database has no registry yet: run `gold db migrate`.");
  if (!row.partners) return known!;
  const addresses = new Map<string, string>();
  for (const { id, ranges } of row.partners) {
    // Several partners may register the same range. HAProxy cannot distinguish them before TLS, so
    // connections from this range count for the first of them.
    for (const range of ranges) if (!addresses.has(range)) addresses.set(range, id);
  }
  return { version: row.version, addresses };
}
