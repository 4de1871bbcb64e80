// The fourth pass over a client: its binding refusals, in the order of their instants.
import type { Row } from "../snapshot.ts";
import type { Books } from "./context.ts";
import { DayHashes } from "./days.ts";
import { TOLERANCE_MS } from "./prices.ts";
import { eachClient, isAt, type Range, takeWhile, withStreams } from "./range.ts";
import { answerOf, timestampOf } from "./requests.ts";

const STREAMS = [
  { name: "refused", table: "idempotency_key", order: "created_at, key", where: "result_kind = 'refusal'" },
  { name: "listed", table: "refusal", order: "created_at, key" },
  { name: "day", table: "closed_day", order: "day" },
] as const;

export async function checkRefusals(books: Books, range: Range): Promise<void> {
  const { findings, migratedAt } = books;
  await withStreams(books.sql, range, STREAMS, async ({ refused, listed, day }) => {
    await eachClient([refused, listed, day], async (at) => {
      const hashes = new DayHashes();
      while (isAt(refused.row, at) || isAt(listed.row, at)) {
        const reply: Row = isAt(refused.row, at) ? refused.row : undefined;
        const entry: Row = isAt(listed.row, at) ? listed.row : undefined;
        const order = !reply ? 1 : !entry ? -1 : compare(reply, entry);
        if (order <= 0) {
          hashes.add(reply.created_at, `${reply.created_at}|${answerOf(reply)}`, isBroken(reply));
          await refused.advance();
        } else {
          const name = `refusal ${at.client} ${entry.key}`;
          findings.add("reply_is_record", name, "a refusal with this key and instant", "nothing");
        }
        if (order >= 0) await listed.advance();
        else if (reply.created_at > migratedAt + TOLERANCE_MS) {
          const name = `idempotency_key ${at.client} ${reply.key}`;
          findings.add("reply_is_record", name, "a row of refusal with its instant", "nothing");
        }
      }
      hashes.compare(books, at.client, "refusals", await takeWhile(day, at, () => true));
    });
  });
}

const compare = (left: Row, right: Row): number =>
  left.created_at - right.created_at || (left.key < right.key ? -1 : left.key > right.key ? 1 : 0);

/** The order was signed in time, but the vault was empty, or the quote ended before the booking. */
function isBroken(reply: Row): boolean {
  const refusal = parse(reply.body);
  if (refusal.code === "insufficient_inventory") return true;
  const end = /^The quote was firm until (.{24})\./.exec(refusal.detail ?? "")?.[1];
  return refusal.code === "quote_expired" && end !== undefined &&
    timestampOf(reply) * 1000 < Date.parse(end);
}

/** Another pass reports a body that is no JSON. */
function parse(body: string): { readonly code?: string; readonly detail?: string } {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
