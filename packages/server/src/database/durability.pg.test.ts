import { suiteBooks } from "../../testing/books.ts";
import { describe, it } from "node:test";
import { assertRejects } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { requireDurability } from "./durability.ts";

describe("requireDurability()", () => {
  const books = suiteBooks();

  /** Checks the database with the given settings. */
  async function judge(settings: Record<string, string>, standby: boolean): Promise<void> {
    const sql: Sql = postgres(books.url, { max: 1, connection: settings });
    try {
      await requireDurability(sql, standby);
    } finally {
      await sql.end();
    }
  }

  it("accepts a database that keeps acknowledged writes", async () => {
    await judge({}, false);
    await judge({ synchronous_commit: "remote_apply" }, false);
  });

  it("names the setting that could lose an acknowledged order", async () => {
    for (const loose of ["off", "local"]) {
      await assertRejects(() => judge({ synchronous_commit: loose }, false), Error, "synchronous_commit");
    }
  });

  it("requires synchronous_standby_names if HA is on", async () => {
    await assertRejects(() => judge({}, true), Error, "synchronous_standby_names");
  });
});
