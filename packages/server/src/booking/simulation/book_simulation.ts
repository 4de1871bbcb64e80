import type { ProblemCode } from "@gold-partner/protocol";
import type { AdmittedWrite } from "../../admission/admitted_write.ts";
import type { Query } from "../../database/query.ts";
import type { Send } from "../batcher.ts";
import type { Outcome } from "../outcome.ts";

export interface SimulationItem extends AdmittedWrite {
  readonly name: string;
  /** The parameters of book_simulation.sql, as JSON text. */
  readonly parameters: string;
}

/** Simulations are rare: each is sent alone and always waits for the account's lock. */
export function sendSimulation(sql: Query): Send<SimulationItem> {
  return async ([item], { settle }) => {
    const { client, admissionVersion, key, fingerprint, name, parameters, requestId } = item!;
    return await sql<Outcome[]>`
      select outcome, status, body from gold.book_simulation(${settle}, ${client}::int, ${admissionVersion}::text::bigint, ${key}::text,
        ${`\\x${fingerprint}`}::text::bytea, ${name}::text, ${parameters}::text::jsonb, ${requestId}::uuid)`;
  };
}

/** A simulated failure for this request. If `code` is null, the request is still executed. */
export interface TakenFailure {
  readonly kind: string;
  readonly code: ProblemCode | null;
  readonly seconds: number | null;
}

/**
 * Uses up one simulated failure of the client. `codes` are the codes that the request's operation documents.
 */
export async function takeFailure(
  sql: Query,
  client: number,
  codes: readonly string[],
): Promise<TakenFailure | null> {
  const [row] = await sql<{ failure: TakenFailure | null }[]>`
    select gold.take_failure(${client}::int, ${`{${codes}}`}::text::text[]) as failure`;
  return row!.failure;
}
