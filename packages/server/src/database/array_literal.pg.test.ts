import { after, before, describe, it } from "node:test";
import { testPostgres } from "@gold-partner/dev/postgres";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import postgres, { type Sql } from "postgres";
import { arrayLiteral, byteaLiteral } from "./array_literal.ts";
import { seedTests } from "../../../../tools/testing/seed.ts";
import { setUp } from "../../testing/set_up.ts";

seedTests(import.meta.url);

describe("arrayLiteral()", () => {
  let sql: Sql;
  after(() => sql.end());
  const server = setUp(testPostgres);
  before(async () => void (sql = postgres(await server.createDatabase(), { max: 1, onnotice: () => {} })));

  // Read back as JSON, because the driver's own array reader does not distinguish null from 'NULL'.
  const texts = async (values: (string | null)[]) =>
    (await sql`select to_json(${arrayLiteral(values)}::text::text[]) as value`)[0]!
      .value as (string | null)[];

  it("escapes the characters of the array syntax", async () => {
    const values = [
      "",
      "null",
      "NULL",
      '"',
      '\\"',
      "\\",
      "{",
      "}",
      "{}",
      ",",
      "a,b",
      " ",
      " a ",
      "'",
      "\n",
      "\t",
      null,
    ];
    assertEquals(await texts(values), values);
    assertEquals(await texts([]), []);
  });

  it("passes any text unchanged", async () => {
    // Leave out NUL, because a Postgres text cannot contain it.
    const text = fc.string({ unit: "binary", maxLength: 40 }).map((value) => value.replaceAll("\0", ""));
    const awkward = fc.string({
      unit: fc.constantFrom('"', "\\", "{", "}", ",", " ", "n", "'"),
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(text, awkward, fc.constant(null)), { maxLength: 8 }),
        async (values) => {
          assertEquals(await texts(values), values);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("passes any text as the bytea of its UTF-8 bytes, alone and in an array", async () => {
    const text = fc.string({ unit: "binary", maxLength: 40 }).map((value) => value.replaceAll("\0", ""));
    const awkward = fc.string({ unit: fc.constantFrom("\\", '"', "x", "0", "{", "\n"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, awkward), async (value) => {
        const sent = byteaLiteral(value);
        const [row] = await sql`
          select convert_from(${sent}::text::bytea, 'UTF8') as alone,
            convert_from((${arrayLiteral([sent])}::text::bytea[])[1], 'UTF8') as listed`;
        assertEquals([row!.alone, row!.listed], [value, value]);
      }),
      { numRuns: 300 },
    );
  });

  it("passes integers exactly, even beyond the range of a double", async () => {
    const values = [0n, -1n, 9_007_199_254_740_993n, 9_223_372_036_854_775_807n];
    const [row] = await sql`select ${arrayLiteral([...values, null, 7])}::text::bigint[]::text as value`;
    assertEquals(row!.value, "{0,-1,9007199254740993,9223372036854775807,NULL,7}");
  });
});
