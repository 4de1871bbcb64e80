// Checks the partner's books: the balances before the run plus
// everything executed since must equal the balances after.
import { booksDifferences, doubleExecutions, ordersUnaccounted } from "./counters.ts";
import { type Executed, holdingsAfter, holdingsOf, repeatsOf, sourcesOf } from "./holdings.ts";
import { begin, must, newName, send, settle, settleToken } from "./session.ts";

/** The data that k6 passes from setup() to every VU and to teardown(). */
interface Run {
  readonly name: string;
  /** An instant by the service's clock. Everything executed strictly later belongs to the run. */
  readonly since: string;
}

const LOW_HALALAS = 100_000_00n;
const FUNDING_SAR = 1_000_000;

export async function openBooks(): Promise<Run> {
  begin();
  if (holdingsOf(must(await send(BALANCES)).body).halalas < LOW_HALALAS) {
    const body = `{"amount_sar":${FUNDING_SAR}}`;
    const funding = await send({ step: "setup", target: "/sandbox/fund", body, key: newName() });
    must(funding, "this partner has too little SAR to trade, so fund it");
  }
  return { name: newName(), since: sourcesOf(must(await send(BALANCES)).body, "as_of")[0]! };
}

const BALANCES = { step: "setup", target: "/v1/balances" } as const;

/**
 * Compares the balances at two instants, `since` and `until`. Both are in the past, so traffic during this
 * check does not change its result: records of the past never change.
 */
export async function closeBooks({ since }: Run): Promise<void> {
  must(await settleToken("books"));
  const until = sourcesOf(await read("/v1/balances"), "as_of")[0]!;
  const executed: Executed = {
    orders: await list("/v1/orders", since, until, ["side", "total_sar", "gold_grams", "quote_id"]),
    fundings: await list("/v1/fundings", since, until, ["amount_sar"]),
    withdrawals: await list("/v1/withdrawals", since, until, ["amount_sar"]),
  };
  ordersUnaccounted.add(-executed.orders.length);
  if (repeatsOf(executed) > 0) doubleExecutions.add(repeatsOf(executed));
  const opening = holdingsOf(await read(`/v1/balances?at=${since}`));
  const closing = holdingsOf(await read(`/v1/balances?at=${until}`));
  const expected = holdingsAfter(opening, executed);
  const counts = Object.entries(executed).map(([what, { length }]) => `${length} ${what}`).join(", ");
  const differs = expected.halalas !== closing.halalas ||
    expected.tenthMilligrams !== closing.tenthMilligrams;
  if (!differs) return console.log(`The books balance from ${since} to ${until}: ${counts}.`);
  booksDifferences.add(1);
  console.error(
    `The books differ from ${since} to ${until}: ${counts}. The opening balances are ${opening.halalas} halalas and ` +
      `${opening.tenthMilligrams} tenth-milligrams, so ${expected.halalas} and ${expected.tenthMilligrams} are expected; ` +
      `the closing balances are ${closing.halalas} and ${closing.tenthMilligrams}.`,
  );
}

/** Reads every page and returns the members' source texts, one row for each item. */
async function list(path: string, since: string, until: string, members: readonly string[]) {
  const before = new Date(Date.parse(until) + 1).toISOString();
  const rows: string[][] = [];
  let cursor = "";
  do {
    const page = await read(`${path}?limit=200&created_after=${since}&created_before=${before}${cursor}`);
    const columns = members.map((member) => sourcesOf(page, member));
    columns[0]!.forEach((_, row) => rows.push(columns.map((column) => column[row]!)));
    const next = sourcesOf(page, "next_cursor")[0]!;
    cursor = next === "null" ? "" : `&cursor=${next}`;
  } while (cursor);
  return rows;
}

async function read(target: string): Promise<string> {
  return must(await settle({ step: "books", target })).body;
}
