import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { silentDatabase } from "@gold-partner/server/testing";
import { assertRejects } from "@std/assert";
import { openConnection } from "./connection.ts";

describe("openConnection()", () => {
  it("closes a TLS connection to a silent database within a minute", async () => {
    const database = await silentDatabase();
    const sql = openConnection(database.url);
    try {
      // Takes about 15 minutes without the timeout for silent sockets.
      const answer = Promise.race([sql`select 1`, sleep(60_000, "still waiting", { ref: false })]);
      await assertRejects(async () => void await answer, Error, "CONNECTION_CLOSED");
    } finally {
      await sql.end({ timeout: 0 });
      await database.stop();
    }
  });
});
