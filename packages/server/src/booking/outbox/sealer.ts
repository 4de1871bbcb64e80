import type { Sql } from "postgres";
import { arrayLiteral } from "../array_literal.ts";

const PAUSE_MS = 1000;
const CLIENTS_PER_CALL = 200;

/**
 * Seals each partner's hash chain once a second, so that little is ever unprotected; delivery seals before it sends. However many
 * have something to seal, a turn comes by every one of them.
 */
export function startSealer(sql: Sql): { stop(): void } {
  let underWay = false;
  let stopping = false;
  const seal = async () => {
    if (underWay) return;
    underWay = true;
    try {
      while (await sealOnce(sql, () => stopping));
    } catch {
      // What was not sealed is sealed a second later; `gold ledger verify` reports a tail that stays.
    } finally {
      underWay = false;
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
 * Comes by each client that has something unsealed, in transactions of many; true where one of them had more than was sealed at once.
 * Those that have more wait until everybody has had his turn.
 */
export async function sealOnce(sql: Sql, stopping: () => boolean = () => false): Promise<boolean> {
  const unsealed = await sql<{ client: string }[]>`
    select client_id::text as client from gold.unsealed_tail() order by client_id`;
  const clients = unsealed.map(({ client }) => client);
  let hasMore = false;
  for (let from = 0; from < clients.length && !stopping(); from += CLIENTS_PER_CALL) {
    const some = arrayLiteral(clients.slice(from, from + CLIENTS_PER_CALL));
    // One call that fails must not keep the others from being sealed.
    const more = await sql`select gold.seal_next(${some}::text::int[])`.catch(() => []);
    hasMore ||= more.length > 0;
  }
  return hasMore && !stopping();
}
