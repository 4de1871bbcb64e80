// Checks a run against the database, with the login of an operator. The database shows what happened,
// regardless of the replies that the partners received.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { checkDatabaseUrl, openDatabase } from "@gold-partner/database";
import type { Sql } from "postgres";
import { asOperator } from "@gold-partner/dev";
import type { Inbox } from "./inbox.ts";
import { fingerprintOf, type LoadPartner, MissingError } from "./partner_file.ts";

/** The result of one check after the run. `met` is null if the check was not possible. */
export interface Check {
  readonly name: string;
  readonly met: boolean | null;
  readonly says: string;
}

export interface Books {
  readonly startedAt: Date;
  /** Directs the webhooks of the partners to this inbox from now on. */
  direct(inbox: Inbox): Promise<void>;
  check(load: Seen, inbox: Inbox | undefined): Promise<Check[]>;
  close(): Promise<void>;
}

interface Seen {
  /** The orders that were accepted according to the replies to the partners. */
  readonly accepted: number;
  /**
   * True if the run ended early. Orders in flight at that moment may be executed although no reply arrived.
   */
  readonly cutOff: boolean;
}

/** How many orders of the run the database has as executed, and how many of their events as delivered. */
interface OrderCounts {
  readonly executed: number;
  readonly delivered: number;
}

const POLL_MS = 500;
/** How long to wait for the next delivery. */
const TIMEOUT_MS = 15_000;
/**
 * The minimum time between two recorded uses of a certificate. The service writes a use a moment after it.
 */
const USE_APART_MS = 60_000;
const USE_LATE_MS = 5_000;
const CLOSE_SECONDS = 5;

export async function openBooks(
  databaseUrl: string,
  partners: readonly LoadPartner[],
  root: string,
): Promise<Books> {
  try {
    checkDatabaseUrl(databaseUrl, process.env.GOLD_ENV);
  } catch (error) {
    throw new MissingError(`DATABASE_URL ${(error as Error).message}`);
  }
  const sql = openDatabase(databaseUrl, { onnotice: () => {} });
  const ids = partners.map(({ client_id }) => client_id);
  const [row] = await sql<{ at: Date }[]>`select date_trunc('milliseconds', clock_timestamp()) as at`
    .catch(async (error: Error) => {
      await sql.end({ timeout: CLOSE_SECONDS });
      throw new MissingError(
        `The database cannot be reached (${error.message}). Set DATABASE_URL to an operator's URL, or unset it for npm start.`,
      );
    });
  const startedAt = row!.at;
  return {
    startedAt,
    async direct(inbox) {
      const operator = asOperator(databaseUrl);
      for (const [index, id] of ids.entries()) {
        await operator("partner set", id, "--webhook", inbox.urlOf(index));
      }
    },
    async check(load, inbox) {
      try {
        const counts = await awaitDelivery(sql, ids, startedAt, inbox);
        return [
          checkOrders(load, counts, inbox),
          await checkCertificates(sql, partners, startedAt),
          await verifyLedger(databaseUrl, root),
        ];
      } catch (error) {
        return [{
          name: "the books",
          met: false,
          says: `the connection to the database was lost: ${(error as Error).message}`,
        }];
      }
    },
    close: () => sql.end({ timeout: CLOSE_SECONDS }),
  };
}

/**
 * Waits until every order of the run was delivered, or nothing changes any more. Without an inbox, it does
 * not wait.
 */
async function awaitDelivery(
  sql: Sql,
  ids: readonly string[],
  since: Date,
  inbox: Inbox | undefined,
): Promise<OrderCounts> {
  let counts = await readOrders(sql, ids, since);
  let [seen, movedMs] = [-1, performance.now()];
  while (inbox && Math.min(counts.delivered, inbox.orders) < counts.executed) {
    if (performance.now() - movedMs >= TIMEOUT_MS) break;
    await sleep(POLL_MS);
    counts = await readOrders(sql, ids, since);
    const now = counts.delivered + inbox.orders;
    if (now !== seen) [seen, movedMs] = [now, performance.now()];
  }
  return counts;
}

/**
 * Counts orders by their events. The count is exact: an order and its event are committed together, and `gold
 * ledger verify` checks that every order has its event.
 */
async function readOrders(sql: Sql, ids: readonly string[], since: Date): Promise<OrderCounts> {
  const [row] = await sql<{ executed: number; delivered: number }[]>`
    select count(*)::int as executed, count(*) filter (where d.status = 'delivered')::int as delivered
    from unnest(${ids as string[]}::text[]) p(id)
    cross join lateral gold.list_deliveries(p.id, null, gold.count_events(p.id, ${since})::int) d
    where d.type = 'order.executed' and d.created_at >= ${since}`;
  return row!;
}

export function checkOrders(
  { accepted, cutOff }: Seen,
  { executed, delivered }: OrderCounts,
  inbox: Pick<Inbox, "orders" | "refused"> | undefined,
): Check {
  const isAccounted = accepted === executed || cutOff && accepted < executed;
  const says = `${accepted} orders accepted, ${executed} executed according to the books` +
    (isAccounted && executed > accepted ? ", some of which were in flight when the run was ended early" : "");
  if (!inbox) {
    return {
      name: "accepted = executed",
      met: isAccounted,
      says: `${says}; deliveries were not checked, because the run had no webhook receiver`,
    };
  }
  const { orders: arrived, refused } = inbox;
  return {
    name: "accepted = executed = delivered",
    met: isAccounted && delivered === executed && arrived === executed && refused === 0,
    says: `${says}, ${delivered} delivered, ${arrived} arrived` +
      (refused > 0 ? `; ${refused} deliveries with a wrong signature` : ""),
  };
}

/**
 * Checks that exactly the certificate of each partner was recorded as used, and no other certificate of these
 * partners.
 */
async function checkCertificates(sql: Sql, partners: readonly LoadPartner[], since: Date): Promise<Check> {
  const shown = partners.map(fingerprintOf);
  const ids = partners.map(({ client_id }) => client_id);
  const read = async () => {
    const [row] = await sql<{ used: number; others: number }[]>`
      select count(*) filter (where s.id is not null and c.last_used_at >= ${new Date(
      since.getTime() - USE_APART_MS,
    )})::int as used,
        count(*) filter (where s.id is null and c.last_used_at >= ${since})::int as others
      from gold.certificate_overview c
      left join unnest(${ids}::text[], ${shown}::text[]) s(id, fingerprint) on s.id = c.public_id and s.fingerprint = c.fingerprint
      where c.public_id = any (${ids}::text[])`;
    return row!;
  };
  let found = await read();
  for (let ms = 0; found.used < partners.length && ms < USE_LATE_MS; ms += POLL_MS) {
    await sleep(POLL_MS);
    found = await read();
  }
  return {
    name: "each partner came with its own certificate",
    met: found.used === partners.length && found.others === 0,
    says: `${found.used} of ${partners.length} certificates were recorded as used` +
      (found.others > 0
        ? `, and also ${found.others} other certificates of these partners`
        : ", and no other certificate of these partners"),
  };
}

/** Runs the operator's own command, so that anybody can repeat the check. */
async function verifyLedger(databaseUrl: string, root: string): Promise<Check> {
  const run = join(root, "tools", "run.mjs");
  const child = spawn(
    process.execPath,
    [...("Deno" in globalThis ? ["run", "-A", run] : [run]), "gold", "ledger", "verify", "--json"],
    { env: { ...process.env, DATABASE_URL: databaseUrl }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => said += text);
  }
  const [code] = await once(child, "close") as [number | null];
  return {
    name: "the ledger is clean",
    met: code === 0,
    says: code === 0
      ? "gold ledger verify found no defect"
      : `gold ledger verify exited with ${code}: ${said.trim()}`,
  };
}
