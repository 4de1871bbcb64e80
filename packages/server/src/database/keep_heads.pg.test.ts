import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type TestBooks, testBooks } from "../../testing/books.ts";
import { publicIdOf } from "../booking/operator_fixture.ts";
import { Refusal } from "../http/refusal.ts";
import type { LogFields } from "../operations/log.ts";
import { openHeadKeeper } from "./keep_heads.ts";
import { openWriteProbe } from "./write_probe.ts";

interface Item {
  client_id: string;
  sequence: string;
  head: string;
}

describe("openHeadKeeper()", () => {
  let books: TestBooks;
  let folder: string;
  let file: string;
  let client: number;
  let name: string;
  let logged: [string, LogFields | undefined][] = [];
  before(async () => {
    books = await testBooks();
    client = await books.createClient({ halalas: 1000n });
    name = await publicIdOf(books, client);
    await books.sql`select gold.seal_chain(${client})`;
    folder = await mkdtemp(join(tmpdir(), "gold-heads-"));
    file = join(folder, "heads.json");
  });
  after(async () => {
    await books.stop();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    logged = [];
    await rm(file, { force: true });
  });

  const open = () =>
    openHeadKeeper({
      file,
      sql: books.api,
      monotonicMs: () => performance.now(),
      log: (_, event, fields) => void logged.push([event, fields]),
    });
  const read = async () =>
    JSON.parse(await readFile(file, "utf8")) as { epoch: number; at: string; items: Item[] };
  /** Makes the file state another head of this chain, so that the database is behind or differs. */
  const state = async (chain: string, change: (item: Item) => void) => {
    const kept = await read();
    change(kept.items.find((item) => item.client_id === chain)!);
    await writeFile(file, JSON.stringify(kept));
    return kept;
  };
  const missing = () =>
    logged.filter(([event]) => event === "records are missing").map(([, fields]) => [
      fields!.client_id,
      fields!.records,
    ]);
  const OTHER = "ab".repeat(32);

  it("writes the heads of all chains and of the audit trail, and leaves no other file", async () => {
    assertEquals(await (await open()).isWhole(), true);
    const { items } = await read();
    const [tail] = await books.sql`
      select sequence::text, encode(head, 'hex') as head from gold.chain_tail where client_id = ${client}`;
    const [audit] = await books
      .sql`select id::text as sequence, encode(head, 'hex') as head from gold.audit_tail`;
    assertEquals(items.find(({ client_id }) => client_id === name), { client_id: name, ...tail } as Item);
    assertEquals(
      items.find(({ client_id }) => client_id === "audit"),
      { client_id: "audit", ...audit } as Item,
    );
    assertEquals(await readdir(folder), ["heads.json"]);
  });

  it("refuses writes while the database lacks a kept record, and names the records", async () => {
    const keeper = await open();
    await keeper.isWhole();
    const kept = await state(name, (item) => Object.assign(item, { sequence: "5", head: OTHER }));
    const probe = await openWriteProbe({
      sql: books.api,
      standby: false,
      heads: keeper,
      monotonicMs: () => performance.now(),
      log: () => {},
    });
    try {
      assertEquals(probe.fault(), "records_missing");
      assertThrows(() => probe.requirePossible(), Refusal);
    } finally {
      probe.stop();
    }
    const last = Number(kept.items.find(({ client_id }) => client_id === name)!.sequence);
    const [row] = await books
      .sql`select event_sequence::int + 1 as next from gold.account where client_id = ${client}`;
    assertEquals([last, missing()], [5, [[name, `${row!.next} to 5`]]]);
    assertEquals(await read(), kept);
  });

  it("notices a record that was changed, a partner that is gone, and a shorter audit trail", async () => {
    const keeper = await open();
    await keeper.isWhole();
    const [tail] = await books.sql`select sequence::text from gold.chain_tail where client_id = ${client}`;
    await state(name, (item) => void (item.head = OTHER));
    assertEquals(await keeper.isWhole(), false);
    await state(name, (item) => Object.assign(item, { client_id: "sbx_gone", sequence: "3" }));
    assertEquals(await keeper.isWhole(), false);
    const [audit] = await books.sql`select id::int from gold.audit_tail`;
    await state("audit", (item) => Object.assign(item, { sequence: `${audit!.id + 2}`, head: OTHER }));
    assertEquals(await keeper.isWhole(), false);
    assertEquals(missing(), [
      [name, `${tail!.sequence} to ${tail!.sequence}`],
      ["sbx_gone", "1 to 3"],
      ["audit", `${audit!.id + 1} to ${audit!.id + 2}`],
      ["sbx_gone", "1 to 3"],
    ]);
  });

  it("seals records of which only the links were lost", async () => {
    const keeper = await open();
    await keeper.isWhole();
    await books.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`delete from gold.chain_link where client_id = ${client}`;
      await sql`delete from gold.chain_tail where client_id = ${client}`;
    });
    assertEquals([await keeper.isWhole(), missing()], [true, []]);
  });

  it("writes the new heads once the loss was accepted, also for a file with earlier heads", async () => {
    const keeper = await open();
    await keeper.isWhole();
    const { epoch } = await state(name, (item) => Object.assign(item, { sequence: "9", head: OTHER }));
    assertEquals(await keeper.isWhole(), false);
    const losses = [{ client_id: name, first: "2", last: "9" }];
    await books.sql`select gold.accept_losses(${epoch}, ${books.sql.json(losses)}::jsonb)`;
    for (const [sequence, whole] of [["10", false], ["9", true], ["8", true]] as const) {
      await state(name, (item) => Object.assign(item, { sequence, head: OTHER }));
      assertEquals(await keeper.isWhole(), whole, sequence);
    }
    const [tail] = await books.sql`select sequence::text from gold.chain_tail where client_id = ${client}`;
    assertEquals((await read()).items.find(({ client_id }) => client_id === name)!.sequence, tail!.sequence);
  });

  it("accepts no loss of another epoch, and no loss without a range", async () => {
    for (
      const [epoch, losses] of [[7, [{ client_id: name, first: "1", last: "1" }]], [1, []], [1, [
        {},
      ]]] as const
    ) {
      const call = books.sql`select gold.accept_losses(${epoch}, ${books.sql.json(losses as never)}::jsonb)`;
      assertEquals(
        (await assertRejects(() => Promise.resolve(call), Error) as { code?: string }).code,
        "GR409",
      );
    }
  });

  it("does not open a file in another format, and goes on if it cannot write", async () => {
    for (const text of ["", "{}", "[1]", '{"epoch":1,"items":[]}']) {
      await writeFile(file, text);
      await assertRejects(open, Error, "has another format");
    }
    await rm(file);
    const keeper = await openHeadKeeper({
      file: join(folder, "gone", "heads.json"),
      sql: books.api,
      monotonicMs: () => performance.now(),
      log: (_, event, fields) => void logged.push([event, fields]),
    });
    assertEquals([await keeper.isWhole(), await keeper.isWhole()], [true, true]);
    assertEquals(logged.filter(([event]) => event === "the file of heads cannot be written").length, 1);
    assertEquals(keeper.ageSeconds() > 0, true);
  });
});
