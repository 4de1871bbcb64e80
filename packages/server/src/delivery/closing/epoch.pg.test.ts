import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { suiteBooks } from "../../../testing/books.ts";
import { withoutTriggers } from "../../../testing/rows.ts";

describe("an epoch of the database", () => {
  const books = suiteBooks();

  const note = async () => (await books.delivery`select gold.note_epoch() as id`)[0]!.id as number;
  const edit = (statement: string) =>
    withoutTriggers(books.sql, async (sql) => {
      await sql.unsafe(statement);
    });

  it("begins with the migration, on the timeline that Postgres names in its WAL files", async () => {
    const [epoch, ...more] = await books.sql`
      select id, timeline, system = (select system_identifier from pg_control_system()) as is_own, (select timeline_id from pg_control_checkpoint()) as current
      from gold.epoch`;
    assertEquals([epoch!.id, epoch!.timeline, epoch!.is_own, more], [1, epoch!.current, true, []]);
    assertEquals([await note(), await note()], [1, 1]);
  });

  it("is followed by the next epoch when the timeline or the cluster changes", async () => {
    await edit("update gold.epoch set timeline = timeline - 1 where id = 1");
    assertEquals(await note(), 2);
    assertEquals(await books.defects(), []);
    await edit("update gold.epoch set system = system + 1, timeline = 7 where id = 2");
    assertEquals(await Promise.all([note(), note(), note()]), [3, 3, 3]);
    assertEquals(await books.defects(), []);
  });

  it("is a defect if its timeline is not higher in the same cluster, or without its predecessor", async () => {
    await edit("update gold.epoch set system = (select system from gold.epoch where id = 3) where id = 2");
    assertEquals(await books.defects(), [
      "epoch_is_whole: epoch 3: its number or its timeline does not follow from the epoch before it",
    ]);
    await edit("delete from gold.epoch where id = 2");
    assertEquals(await books.defects(), [
      "epoch_is_whole: epoch 3: its number or its timeline does not follow from the epoch before it",
    ]);
  });
});
