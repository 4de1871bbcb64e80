// The program of the audit's second process. It receives ranges, and replies to each with its result.
import { on } from "node:events";
import process from "node:process";
import { checkRange } from "./books/check_range.ts";
import { Prices } from "./books/prices.ts";
import { requestTerms } from "./books/requests.ts";
import { Notes } from "./registry/notes.ts";
import type { ProcessData } from "./second_process.ts";
import { withSnapshot } from "./snapshot.ts";

// The first process disconnects when it has no more ranges. The channel also closes if it was killed.
process.once("disconnect", () => process.exit());
const messages = on(process, "message");
const { value: [{ url, snapshot, shared, ...data }] } = await messages.next() as { value: [ProcessData] };
await withSnapshot(url, async (sql) => {
  const notes = new Notes(data.notes);
  const requests = await requestTerms(notes, data.registry, data.signatures);
  const books = { ...shared, sql, notes, prices: new Prices(data.history), requests };
  for await (const [range] of messages) process.send!(await checkRange(books, range));
}, snapshot);
