import { after, before, describe, it } from "node:test";
import { type TestBooks, testBooks } from "@gold-partner/server/testing";
import { assertEquals } from "@std/assert";
import { lookAfter } from "../audit_fixture.ts";
import { Findings } from "../findings.ts";
import { readRoles } from "./roles.ts";

describe("the logins of the service", () => {
  let books: TestBooks;
  before(async () => {
    books = await testBooks();
  });
  after(() => books.stop());

  it("are a warning where they cannot log in, inherit nothing or have a limit of connections", async () => {
    const warnedAfter = (statement: string) =>
      lookAfter(books.url, (sql) => sql.unsafe(statement), async (sql) => {
        const findings = new Findings();
        await readRoles(sql, findings);
        return findings.warnings.map(({ row, found }) => `${row}: ${found}`);
      });
    assertEquals(await warnedAfter("alter role gold_operator noinherit connection limit 7"), []);
    assertEquals(
      await warnedAfter(`
        alter role gold_api nologin connection limit 0;
        alter role gold_ticker noinherit;
        alter role gold_trust connection limit 3`),
      [
        "role gold_api: nologin, connection limit 0",
        "role gold_ticker: noinherit",
        "role gold_trust: connection limit 3",
      ],
    );
  });
});
