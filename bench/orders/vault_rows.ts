// Measures how much faster orders would be if the vault's row were split into two. In the first variant of
// gold.book_orders, all calls lock the same vault row. In the second variant, each call takes a row that no
// other call has locked. There are more rows than connections, so no call of the second variant waits for a
// row. Its speed is therefore an upper limit for the speed with two rows.
import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "../harness.ts";
import type { Taker } from "./contenders.ts";
import type { Stack } from "./stack.ts";

const ROWS = 8;
const ONE_ROW = /\bvault v where v\.stripe = 0 for no key update\b/g;
/**
 * Stores the number of the transaction's vault row in a setting. The default of the transfers' `stripe`
 * column reads that setting. The variant with one row does this too, so that both variants do the same work.
 */
const taking = (rows: string) =>
  `(select s.*, set_config('peer.stripe', s.stripe::text, true) from (select * from vault ${rows}) s) v`;
const THE_ONE = taking("where stripe = 0 for no key update");
const ANY = taking("order by stripe for no key update skip locked limit 1");
const DEFAULT_STRIPE = `coalesce(nullif(current_setting('peer.stripe', true), '')::smallint, 0)`;
const POLL_MS = 20;

const withOneRow = (definition: string): string => taken(definition, THE_ONE);
const withManyRows = (definition: string): string => taken(definition, ANY);

function taken(definition: string, rows: string): string {
  const found = definition.match(ONE_ROW)?.length ?? 0;
  if (found !== 1) {
    throw new Error(
      `gold.book_orders must match ${ONE_ROW} exactly once; it matches ${found} times. Adapt ONE_ROW in ` +
        "bench/orders/vault_rows.ts.",
    );
  }
  return definition.replace(ONE_ROW, rows);
}

/**
 * Returns two contenders that differ only in the number of vault rows. `waits` describes how large a share of
 * their time the calls waited for a lock.
 */
export async function vaultRowTakers(
  { sql }: Stack,
  taker: Taker,
): Promise<{ oneRow: Taker; manyRows: Taker; waits(): string }> {
  const [own] = await sql`
    select pg_get_functiondef(oid) as definition from pg_proc
    where proname = 'book_orders' and prosrc like '%from vault%'`;
  const split = `
    insert into gold.vault (stripe, free) select n, (select free / ${ROWS} from gold.vault where stripe = 0) from generate_series(1, ${
    ROWS - 1
  }) n;
    update gold.vault v set free = v.free - (select sum(free) from gold.vault where stripe > 0) where v.stripe = 0`;
  const [one, many] = [withOneRow(own!.definition), withManyRows(own!.definition)];
  await sql.unsafe(split);
  const [oneRowWaits, manyRowsWaits]: [Waits, Waits] = [{ waiting: 0, active: 0 }, { waiting: 0, active: 0 }];
  const use = async (definition: string, stripe: string) => {
    await sql.unsafe(definition);
    await sql.unsafe(`alter table gold.transfer alter column stripe set default ${stripe}`);
  };
  const turn = async (turnMs: number, definition: string, waits: Waits): Promise<Sample> => {
    await use(definition, DEFAULT_STRIPE);
    const watch = watchWaits(sql, waits);
    try {
      return await taker.takeTurn(turnMs);
    } finally {
      await watch.stop();
      await use(own!.definition, "0");
    }
  };
  return {
    oneRow: { takeTurn: (turnMs) => turn(turnMs, one, oneRowWaits), stop() {} },
    manyRows: {
      async takeTurn(turnMs) {
        const before = await freeElsewhere(sql);
        const sample = await turn(turnMs, many, manyRowsWaits);
        if (await freeElsewhere(sql) === before) {
          throw new Error(
            `No order used the ${ROWS - 1} additional vault rows, so the result means nothing.`,
          );
        }
        return sample;
      },
      stop() {},
    },
    waits: () =>
      `Share of the calls' time spent waiting for a lock: ${share(oneRowWaits)} with one row, ` +
      `${share(manyRowsWaits)} with ${ROWS}.`,
  };
}

interface Waits {
  waiting: number;
  active: number;
}

const share = ({ waiting, active }: Waits) => `${(100 * waiting / Math.max(1, active)).toFixed(1)} %`;

async function freeElsewhere(sql: Stack["sql"]): Promise<string> {
  const [row] = await sql`select sum(free)::text as free from gold.vault where stripe > 0`;
  return row!.free as string;
}

/**
 * Samples how many calls wait for a lock. Nearly all of them wait for the vault's row. A few may wait for an
 * account: gold.book_orders skips locked accounts, and the batcher then sends the skipped orders again with
 * `wait`, which waits for the account.
 */
function watchWaits(sql: Stack["sql"], waits: Waits): { stop(): Promise<void> } {
  let watching = true;
  const watch = async () => {
    while (watching) {
      const [row] = await sql`
        select count(*)::int as active, (count(*) filter (where wait_event_type = 'Lock'))::int as waiting
        from pg_stat_activity where state = 'active' and query like '%gold.book_orders%' and pid <> pg_backend_pid()`;
      waits.active += row!.active;
      waits.waiting += row!.waiting;
      await sleep(POLL_MS);
    }
  };
  const watched = watch();
  return {
    stop() {
      watching = false;
      return watched;
    },
  };
}
