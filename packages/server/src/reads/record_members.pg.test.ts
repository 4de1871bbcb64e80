import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { type TestBooks, testBooks } from "../../testing/mod.ts";

const FILE = new URL("../../../../vectors/records.json", import.meta.url);
const TABLES: Readonly<Record<string, string>> = { order: "orders" };

interface RecordCase {
  readonly name: string;
  readonly record: string;
  readonly row: Readonly<Record<string, string | number | null>>;
  readonly status?: string;
  readonly members: string;
}

describe("the members of a record", () => {
  let books: TestBooks;
  before(async () => {
    books = await testBooks();
  });
  after(() => books.stop());

  for (
    const { name, record, row, status, members } of JSON.parse(readFileSync(FILE, "utf8"))
      .cases as RecordCase[]
  ) {
    it(`are written by the database as in the vector: ${name}`, async () => {
      const table = TABLES[record] ?? record;
      const [found] = await books.sql.unsafe(
        `select gold.${record}_members(jsonb_populate_record(null::gold.${table}, $1::text::jsonb)${
          status ? ", $2" : ""
        }) as text`,
        [JSON.stringify(row), ...(status ? [status] : [])],
      );
      assertEquals(found!.text, members);
    });
  }
});
