import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import type { Trader } from "../stage/trader.ts";

const BATCH = 64;
const PAUSE_MS = 100;
const TIMEOUT_MS = 120_000;

/** Makes one quote for each listed client, valid longer than a run takes: 0.001 g for half a riyal. */
export async function makeQuotes(sql: Sql, clients: readonly number[]): Promise<string[]> {
  const ids = clients.map(newUuid);
  await sql`
    insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
    select client % 64, client, 'buy', id, 10, 5000000, 50, clock_timestamp(), clock_timestamp() + interval '1 hour'
    from unnest(${literal(clients)}::text::int[], ${literal(ids)}::text::uuid[]) q (client, id)`;
  return ids;
}

/**
 * Books orders with the service's own function, many in a transaction, but without HTTP requests, because the
 * proof tests only the delivery after the booking.
 */
export class OrderBooker {
  readonly #sql: Sql;
  readonly #traders: readonly Trader[];
  #turn = 0;

  constructor(sql: Sql, traders: readonly Trader[]) {
    this.#sql = sql;
    this.#traders = traders;
  }

  /**
   * Books orders until this many events are committed, even if the database is unavailable meanwhile. Reads
   * the number of committed events from the accounts.
   */
  async bookUntil(events: number): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let trouble: unknown;;) {
      try {
        if (await this.#countEvents() >= events) return;
        const refused = await this.bookBatch();
        if (refused > 0) throw new Error(`${refused} of a batch's orders were refused.`);
      } catch (error) {
        trouble = error;
        await sleep(PAUSE_MS);
      }
      if (performance.now() > deadline) {
        throw new Error("The orders could not be booked in time.", { cause: trouble });
      }
    }
  }

  /**
   * Books one batch, with orders of each partner, and notifies the workers as the service does. Returns how
   * many orders were refused.
   */
  async bookBatch(): Promise<number> {
    const clients = Array.from({ length: BATCH }, () => this.#next().client);
    const quotes = await makeQuotes(this.#sql, clients);
    const [nonces, keys] = [clients.map(() => randomUUID()), clients.map(() => randomUUID())];
    const requests = clients.map(newUuid);
    const [row] = await this.#sql`
      select count(*) filter (where b.status <> 201)::int as refused
      from gold.book_orders(true, false, ${literal(clients)}::text::int[],
        array(select a.admission_version from unnest(${
      literal(clients)
    }::text::int[]) with ordinality c (client, n)
          join gold.account a on a.client_id = c.client order by c.n),
        ${literal(nonces)}::text::uuid[], ${
      literal(keys)
    }::text::text[], array_fill(sha256(''), array[${BATCH}::int]),
        ${literal(quotes)}::text::uuid[], ${literal(requests)}::text::uuid[], null, null,
        array_fill('\\xab'::bytea, array[${BATCH}::int]), array_fill(sha256(''), array[${BATCH}::int])) b`;
    await this.#sql`
      select gold.notify_receivers(client) from unnest(${
      literal(clients)
    }::text::int[]) client group by client`;
    return row!.refused;
  }

  async #countEvents(): Promise<number> {
    const [row] = await this
      .#sql`select sum(event_sequence)::int as events from gold.account where client_id <> 0`;
    return row!.events;
  }

  #next(): Trader {
    return this.#traders[this.#turn++ % this.#traders.length]!;
  }
}

/** Makes ids in the format of the service. An order and its event have the id of their quote. */
const newUuid = (): string =>
  newId(ID_PREFIX.request, Date.now(), randomBytes).slice(ID_PREFIX.request.length);

/** A Postgres array literal. The values are numbers and UUIDs, so they need no quotes. */
const literal = (values: readonly (number | string)[]): string => `{${values.join(",")}}`;
