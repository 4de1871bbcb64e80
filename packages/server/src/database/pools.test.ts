import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertRejects } from "@std/assert";
import { silentDatabase } from "../../testing/silent_database.ts";
import { connect } from "./pools.ts";

describe("connect()", () => {
  it("closes the connection to a silent database long before TCP does, also over TLS", async () => {
    const database = await silentDatabase();
    const sql = connect(database.url, 1);
    try {
      // Takes a quarter of an hour without the limit on silence.
      const answer = Promise.race([sql`select 1`, sleep(60_000, "still waiting", { ref: false })]);
      await assertRejects(async () => void await answer, Error, "CONNECTION_CLOSED");
    } finally {
      await sql.end({ timeout: 0 });
      await database.stop();
    }
  });
});
