import {
  type FileHandle,
  mkdir,
  open as openFile,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { publicIdOf } from "../booking/operator_fixture.ts";
import { Refusal } from "../http/refusal.ts";
import type { LogFields } from "../operations/log.ts";
import { type HeadKeeper, openHeadKeeper } from "./keep_heads.ts";
import { openWriteProbe } from "./write_probe.ts";
import { suiteBooks } from "../../testing/books.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { withoutTriggers } from "../../testing/rows.ts";

interface Item {
  client_id: string;
  sequence: string;
  head: string;
}

describe("openHeadKeeper()", () => {
  const books = suiteBooks();
  const folder = temporaryFolder("gold-test");
  const file = join(folder, "heads.json");
  let client: number;
  let name: string;
  let logged: [string, LogFields | undefined][] = [];
  before(async () => {
    client = await books.createClient({ halalas: 1000n });
    name = await publicIdOf(books, client);
    await books.sql`select gold.seal_chain(${client})`;
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

  const openProbe = (heads: HeadKeeper) =>
    openWriteProbe({
      sql: books.api,
      standby: false,
      heads,
      monotonicMs: () => performance.now(),
      log: () => {},
    });

  it("writes the heads of all chains and of the audit trail, and leaves no other file", async () => {
    assertEquals(await (await open()).compareAndWrite(), true);
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

  it("replaces the file by a new one, so that a crash cannot leave half of it", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    const { ino } = await stat(file);
    await keeper.compareAndWrite();
    assertNotEquals((await stat(file)).ino, ino);
  });

  it("logs that a new file begins, at the start and after somebody deleted the file", async () => {
    const heads = await open();
    await heads.compareAndWrite();
    await heads.compareAndWrite();
    await rm(file);
    await heads.compareAndWrite();
    assertEquals(
      logged,
      Array.from({ length: 2 }, () => ["a new file of heads begins", { address: file }]),
    );
  });

  it("refuses writes while the database lacks a kept record, and names the records", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    const kept = await state(name, (item) => Object.assign(item, { sequence: "5", head: OTHER }));
    const probe = await openProbe(keeper);
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
    await keeper.compareAndWrite();
    const [tail] = await books.sql`select sequence::text from gold.chain_tail where client_id = ${client}`;
    await state(name, (item) => void (item.head = OTHER));
    assertEquals(await keeper.compareAndWrite(), false);
    await state(name, (item) => Object.assign(item, { client_id: "sbx_gone", sequence: "3" }));
    assertEquals(await keeper.compareAndWrite(), false);
    const [audit] = await books.sql`select id::int from gold.audit_tail`;
    await state("audit", (item) => Object.assign(item, { sequence: `${audit!.id + 2}`, head: OTHER }));
    assertEquals(await keeper.compareAndWrite(), false);
    assertEquals(missing(), [
      [name, `${tail!.sequence} to ${tail!.sequence}`],
      ["sbx_gone", "1 to 3"],
      ["audit", `${audit!.id + 1} to ${audit!.id + 2}`],
      ["sbx_gone", "1 to 3"],
    ]);
  });

  it("seals records again if the database lost only their links", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    await withoutTriggers(books.sql, async (sql) => {
      await sql`delete from gold.chain_link where client_id = ${client}`;
      await sql`delete from gold.chain_tail where client_id = ${client}`;
    });
    assertEquals([await keeper.compareAndWrite(), missing()], [true, []]);
  });

  const accept = (last: string, head: string) => {
    const losses = [{ client_id: name, first: "2", last, head }];
    return books.sql`select gold.accept_losses(gold.note_epoch(), ${books.sql.json(losses)}::jsonb)`;
  };

  it("writes the new heads after exactly this loss was accepted", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    await state(name, (item) => Object.assign(item, { sequence: "9", head: OTHER }));
    assertEquals(await keeper.compareAndWrite(), false);
    await accept("9", OTHER);
    for (const [sequence, whole] of [["10", false], ["8", false], ["9", true]] as const) {
      await state(name, (item) => Object.assign(item, { sequence, head: OTHER }));
      assertEquals(await keeper.compareAndWrite(), whole, sequence);
    }
    const [tail] = await books.sql`select sequence::text from gold.chain_tail where client_id = ${client}`;
    assertEquals((await read()).items.find(({ client_id }) => client_id === name)!.sequence, tail!.sequence);
  });

  it("counts an acceptance even if the file was written two promotions later", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    const kept = await state(name, (item) => Object.assign(item, { sequence: "20", head: OTHER }));
    await writeFile(file, JSON.stringify({ ...kept, epoch: kept.epoch + 2 }));
    assertEquals(await keeper.compareAndWrite(), false);
    await accept("20", OTHER);
    assertEquals(await keeper.compareAndWrite(), true);
  });

  it("does not count the acceptance of an earlier loss for a later one with the same records", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    await state(name, (item) => Object.assign(item, { sequence: "30", head: OTHER }));
    await accept("30", OTHER);
    assertEquals(await keeper.compareAndWrite(), true);
    await state(name, (item) => Object.assign(item, { sequence: "30", head: "cd".repeat(32) }));
    assertEquals(await keeper.compareAndWrite(), false);
    await state(name, (item) => Object.assign(item, { sequence: "29", head: "ef".repeat(32) }));
    assertEquals(await keeper.compareAndWrite(), false);
  });

  it("does not count an acceptance if the database lacks more records than it names", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    await state(name, (item) => Object.assign(item, { sequence: "40", head: OTHER }));
    const losses = [{ client_id: name, first: "3", last: "40", head: OTHER }];
    await books.sql`select gold.accept_losses(gold.note_epoch(), ${books.sql.json(losses)}::jsonb)`;
    assertEquals(await keeper.compareAndWrite(), false);
  });

  it("accepts no loss of another epoch, and no loss without a range and a head", async () => {
    const cases = [
      [7, [{ client_id: name, first: "1", last: "1", head: OTHER }]],
      [1, []],
      [1, [{}]],
      [1, [{ client_id: name, first: "1", last: "1" }]],
    ] as const;
    for (const [epoch, losses] of cases) {
      const call = books.sql`select gold.accept_losses(${epoch}, ${books.sql.json(losses as never)}::jsonb)`;
      assertEquals(
        (await assertRejects(() => Promise.resolve(call), Error) as { code?: string }).code,
        "GR409",
      );
    }
  });

  it("refuses writes while the file is damaged, and names this reason", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    const whole = await readFile(file, "utf8");
    await writeFile(file, whole.slice(0, -9));
    const probe = await openProbe(keeper);
    try {
      assertEquals(probe.fault(), "heads_unreadable");
      assertThrows(() => probe.requirePossible(), Refusal, "file of heads");
      await writeFile(file, whole);
      await until(() => probe.fault() === undefined);
    } finally {
      probe.stop();
    }
  });

  it("does not wait for a slow disk, and writes the file later", async () => {
    const keeper = await open();
    await keeper.compareAndWrite();
    await using handle = await openFile(file);
    const files = Object.getPrototypeOf(handle) as FileHandle;
    const { sync } = files;
    let finish = () => {};
    const slow = new Promise<void>((resolve) => finish = resolve);
    files.sync = async function () {
      await slow;
      await sync.call(this);
    };
    try {
      const { ino } = await stat(file);
      assertEquals([await keeper.compareAndWrite(), await keeper.compareAndWrite()], [true, true]);
      assertEquals((await stat(file)).ino, ino);
      assertEquals(logged.slice(1), [["the file of heads cannot be written", { error_name: "ETIMEDOUT" }]]);
      finish();
      await until(async () => (await stat(file)).ino !== ino);
    } finally {
      finish();
      files.sync = sync;
    }
  });

  it("does not open a file in another format, and continues if it cannot write the file", async () => {
    const ofItem = (item: unknown) => JSON.stringify({ epoch: 1, at: "", items: [item] });
    const items = [null, { client_id: name }, { client_id: name, sequence: "x", head: OTHER }];
    for (const text of ["", "{}", "[1]", '{"epoch":1,"items":[]}', ...items.map(ofItem)]) {
      await writeFile(file, text);
      await assertRejects(open, Error, "has another format");
    }
    await rm(file);
    await mkdir(file);
    await assertRejects(open, Error, "cannot be read (EISDIR)");
    await rmdir(file);
    const keeper = await openHeadKeeper({
      file: join(folder, "gone", "heads.json"),
      sql: books.api,
      monotonicMs: () => performance.now(),
      log: (_, event, fields) => void logged.push([event, fields]),
    });
    assertEquals([await keeper.compareAndWrite(), await keeper.compareAndWrite()], [true, true]);
    assertEquals(logged.filter(([event]) => event === "the file of heads cannot be written").length, 1);
    assertEquals(keeper.ageSeconds() > 0, true);
  });
});
