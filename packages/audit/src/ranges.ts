// Checks all clients, range by range. This process and a second process read the same snapshot, each through
// its own connection. A process that has finished a range takes the next range.
import { checkRange, type RangeResult, type SharedBooks } from "./books/check_range.ts";
import type { Books, Client } from "./books/context.ts";
import { comparePositions, positionOf, type Range } from "./books/range.ts";
import { withSecondProcess } from "./second_process.ts";
import type { Registry } from "./registry/keys.ts";
import { type AuditState, versionsOf } from "./state.ts";

/**
 * Clients with together about this many events are read in one range. Small ranges keep both processes busy
 * until the end, and lose less work when an audit is interrupted.
 */
const EVENTS_PER_RANGE = 20_000n;

interface Options {
  readonly url?: string;
  readonly state?: AuditState;
  readonly auditHead: string;
  readonly progress: (text: string) => void;
  readonly eventsPerRange?: bigint;
  readonly registry: Registry;
  readonly signatures?: number;
}

/**
 * Adds the result of every range to `books`. Returns how many clients an earlier audit had checked already.
 */
export async function checkRanges(books: Books, options: Options): Promise<number> {
  const { findings, totals, ...shared } = books;
  const ranges = rangesOf(books.clients, options.eventsPerRange ?? EVENTS_PER_RANGE);
  const results: RangeResult[] = [];
  const queue = ranges.entries();
  let [resumed, done, records] = [0, 0, 0];
  const work = async (check: (range: Range) => Promise<RangeResult>) => {
    for (const [index, { range, clients }] of queue) {
      const { result, isKnown } = await resultOf(shared, range, options, check);
      results[index] = result;
      if (isKnown) resumed += clients;
      done++;
      records += result.records;
      options.progress(`${done} of ${ranges.length} ranges of clients, ${records} records`);
    }
  };
  const own = () => work((range) => checkRange(shared, range));
  if (options.url === undefined || ranges.length === 1) await own();
  else {await withSecondProcess(shared, { ...options, url: options.url }, (second) =>
      Promise.all([own(), work(second)]));}
  for (const result of results) {
    totals.clientGold += BigInt(result.clientGold);
    totals.sold += BigInt(result.sold);
    totals.records += result.records;
    totals.unsigned += result.unsigned;
    totals.verified += result.verified;
    findings.addAll(result.findings, result.counts);
  }
  return resumed;
}

async function resultOf(
  { sql }: SharedBooks,
  range: Range,
  { state, auditHead }: Options,
  check: (range: Range) => Promise<RangeResult>,
): Promise<{ result: RangeResult; isKnown: boolean }> {
  if (!state) return { result: await check(range), isKnown: false };
  const name = JSON.stringify(range, (_, value) => value ?? null);
  // The rules of withdrawals also read the audit trail.
  const versions = `${await versionsOf(sql, range)}, ${auditHead}`;
  const known = state.find(name, versions);
  if (known) return { result: known, isKnown: true };
  const result = await check(range);
  state.keep({ name, versions, ...result });
  return { result, isKnown: false };
}

function rangesOf(
  clients: ReadonlyMap<string, Client>,
  eventsPerRange: bigint,
): { range: Range; clients: number }[] {
  const positions = [...clients.values()].flatMap(({ account }) =>
    account ? [{ at: positionOf(account), events: account.event_sequence as bigint }] : []
  ).sort((left, right) => comparePositions(left.at, right.at));
  const ranges: { range: Range; clients: number }[] = [];
  let after: Range["after"];
  let [events, count] = [0n, 0];
  for (const [index, { at, events: own }] of positions.entries()) {
    events += own;
    count++;
    if (events < eventsPerRange && index < positions.length - 1) continue;
    const isLast = index === positions.length - 1;
    ranges.push({ range: { after, to: isLast ? undefined : at }, clients: count });
    [after, events, count] = [at, 0n, 0];
  }
  return ranges.length > 0 ? ranges : [{ range: { after: undefined, to: undefined }, clients: 0 }];
}
