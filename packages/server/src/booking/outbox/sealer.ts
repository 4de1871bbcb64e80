import type { Query } from "../../database/query.ts";
import { arrayLiteral } from "../../database/array_literal.ts";

const PAUSE_MS = 1000;
const CLIENTS_PER_CALL = 200;

/**
 * Seals the clients' hash chains once a second, so that few events are ever unprotected. Delivery seals an
 * event before it sends the event. Each round includes every client that has unsealed events.
 */
export function startSealer(sql: Query): { stop(): void } {
  let sealing = false;
  let stopping = false;
  const seal = async () => {
    if (sealing) return;
    sealing = true;
    try {
      while (await sealOnce(sql, () => stopping));
    } catch {
      // Ignore the error: the next round, a second later, seals what is left. `gold ledger verify` reports
      // events that stay unsealed.
    } finally {
      sealing = false;
    }
  };
  const timer = setInterval(() => void seal(), PAUSE_MS);
  return {
    stop() {
      stopping = true;
      clearInterval(timer);
    },
  };
}

/**
 * Seals events of every client that has unsealed ones, in transactions of up to 200 clients. Returns true if
 * a client may have more events than one transaction seals. The next call seals the rest.
 */
export async function sealOnce(sql: Query, stopping: () => boolean = () => false): Promise<boolean> {
  const unsealed = await sql<{ client: string }[]>`
    select client_id::text as client from gold.unsealed_tail() order by client_id`;
  const clients = unsealed.map(({ client }) => client);
  let hasMore = false;
  for (let from = 0; from < clients.length && !stopping(); from += CLIENTS_PER_CALL) {
    const some = arrayLiteral(clients.slice(from, from + CLIENTS_PER_CALL));
    // Continue after a failed transaction, because the clients of the other transactions must still be
    // sealed.
    const more = await sql`select gold.seal_next(${some}::text::int[])`.catch(() => []);
    hasMore ||= more.length > 0;
  }
  return hasMore && !stopping();
}
