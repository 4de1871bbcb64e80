import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { RECORD_CASES } from "../../../../tools/testing/record_cases.ts";
import { suiteBooks } from "../../testing/books.ts";

const TABLES: Readonly<Record<string, string>> = { order: "orders" };

describe("the members of a record", () => {
  const books = suiteBooks();

  for (const { name, record, row, status, members } of RECORD_CASES) {
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
