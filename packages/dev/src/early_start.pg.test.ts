import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import postgres from "postgres";
import { findFreePort } from "./postgres/mod.ts";
import { endAll, startUntilReady } from "../testing/start.ts";

describe("startEarly()", () => {
  let folder: string;
  let state: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-early-start-"));
    state = join(folder, "state");
  });
  after(async () => {
    await endAll();
    await rm(folder, { recursive: true, force: true });
  });

  const path = (...parts: string[]) => join(state, ...parts);
  const logged = async () =>
    (await readFile(path("log", "server.log"), "utf8")).split("\n").filter((line) =>
      line.includes('"serving"')
    );

  /**
   * Starts and stops npm start. Returns `made`, which changes whenever the database functions are created
   * again, and the line that the service logs for each successful start.
   */
  async function start(): Promise<{ made: string; log: string[] }> {
    await writeFile(path("log", "server.log"), "").catch(() => {});
    const started = await startUntilReady(state, "--port", port, "--no-demo");
    const sql = postgres(started.run.database_url, { max: 1 });
    const [{ made }] = await sql<
      [{ made: string }]
    >`select xmin::text as made from pg_proc where proname = 'book_orders'`;
    await sql.end();
    assertEquals(await started.stop(), 0);
    return { made, log: await logged() };
  }
  let port: string;

  it("does not migrate the database again if nothing has changed, and starts the service once", async () => {
    port = `${await findFreePort()}`;
    const [first, second] = [await start(), await start()];
    assertEquals(second.made, first.made);
    assertEquals(second.log.length, 1, second.log.join("\n"));
  });

  it("migrates again after a change of sources, a lost secret or a change of the port", async () => {
    const before = await start();
    await writeFile(path("postgres", "migrated"), "other sources");
    const migrated = await start();
    assertNotEquals(migrated.made, before.made);
    await rm(path("keys", "database_gold_api"));
    const healed = await start();
    assertNotEquals(healed.made, migrated.made);
    port = `${await findFreePort()}`;
    assertNotEquals((await start()).made, healed.made);
  });
});
