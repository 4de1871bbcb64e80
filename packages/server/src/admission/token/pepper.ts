import type { Query } from "../../database/query.ts";
import { nameOfKey } from "../../settings/key_source.ts";

/**
 * Throws if the client secrets of this database are hashed with another pepper, because this process would
 * refuse all of them. The first process that calls this stores the name of its pepper.
 */
export async function requirePepper(sql: Query, pepper: Uint8Array): Promise<void> {
  const given = await nameOfKey(pepper);
  const [row] = await sql<[{ known: string }]>`select gold.keep_pepper(${given}) as known`;
  if (row.known === given) return;
  throw new Error(
    `the source gives the pepper ${given}, but the client secrets of this database are hashed with the pepper ` +
      `${row.known}: give that pepper, or see "A lost pepper" in docs/recovery.md.`,
  );
}
