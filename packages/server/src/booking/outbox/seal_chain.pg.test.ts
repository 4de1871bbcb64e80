import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import type { Sql } from "postgres";
import { arrayLiteral } from "../../database/array_literal.ts";
import { unsign } from "../ledger/tampered_fixture.ts";
import { hireOperator, publicIdOf } from "../operator_fixture.ts";
import {
  bookFunding,
  bookOrder,
  bookWithdrawal,
  fundingItem,
  lockAccount,
  newUuid,
  orderItem,
  untilWaiting,
  withdrawalItem,
} from "../fixture.ts";
import { columnOf, valueOf, withoutTriggers } from "../../../testing/rows.ts";

const START = "00".repeat(32);
const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const linkAfter = (head: string, line: string): string =>
  createHash("sha256").update(head, "hex").update(line, "utf8").digest("hex");

describe("seal_chain", () => {
  const books = suiteBooks();
  before(async () => {
    await books.addBar(1_000_000n);
    await books.setPrice(3_210_000n, 3_190_000n);
  });

  async function seal(client: number, sql: Sql = books.delivery): Promise<string> {
    return await valueOf(sql`select encode(gold.seal_chain(${client}), 'hex') as head`);
  }
  async function linksOf(client: number): Promise<string[]> {
    return await columnOf(
      books
        .sql`select encode(hash, 'hex') as hash from gold.chain_link where client_id = ${client} order by sequence`,
    );
  }

  it("seals a backlog in parts, each continuing where the last one ended", async () => {
    const client = await books.createClient();
    await books.sql.begin(async (sql) => {
      await sql`alter table gold.event disable trigger user`;
      await sql`
        insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type)
        select ${
        client % 64
      }, ${client}, n, gen_random_uuid(), gen_random_uuid(), now(), 'funding.completed' from generate_series(1, 12000) n`;
      await sql`alter table gold.event enable trigger user`;
    });
    const sealed: number[] = [];
    while (sealed.at(-1) !== sealed.at(-2) || sealed.length < 2) {
      await seal(client);
      sealed.push((await linksOf(client)).length);
    }
    assertEquals(sealed, [5000, 10_000, 12_000, 12_000]);
    // Delete these events, because they have no fundings.
    await withoutTriggers(books.sql, async (sql) => {
      for (const table of ["event", "chain_link", "chain_tail"]) {
        await sql`delete from gold.${sql(table)} where client_id = ${client}`;
      }
    });
  });

  /**
   * Computes from the rows how each hashed line of the client's chain ends: `|answer|salt` (docs/chain.md).
   */
  async function endsOf(client: number): Promise<string[]> {
    const [partner] = await books.sql`select chain_key from gold.partner where id = ${client}`;
    const rows = await books.sql`
      select e.sequence, k.key, k.status, k.request_id, k.body, k.request,
        encode(k.fingerprint, 'hex') as fingerprint, coalesce(encode(k.signing_thumbprint, 'hex'), '') as thumbprint
      from gold.event e
      left join gold.idempotency_key k on k.client_id = e.client_id and k.result_id = e.subject
        and k.result_kind = case e.type when 'order.executed' then 'order' when 'funding.completed' then 'funding'
          when 'withdrawal.created' then 'withdrawal' end
      where e.client_id = ${client} order by e.sequence`;
    return rows.map((row) => {
      const sequence = new DataView(new ArrayBuffer(8));
      sequence.setBigUint64(0, BigInt(row.sequence));
      const salt = sha256(Buffer.concat([partner!.chain_key, new Uint8Array(sequence.buffer)])).slice(0, 32);
      if (row.key === null) return `||${salt}`;
      const { key, fingerprint, status, request_id, thumbprint } = row;
      const lines = [
        key,
        fingerprint,
        status,
        request_id,
        sha256(row.body),
        sha256(row.request ?? ""),
        thumbprint,
      ];
      return `|${sha256(lines.map((line) => `${line}\n`).join(""))}|${salt}`;
    });
  }

  it("links each record to the previous record by the documented line", async () => {
    const client = await books.createClient();
    const funding = fundingItem(client, 100_000n);
    await bookFunding(books.api, funding);
    const [buy, sell] = [
      await books.quote(client, "buy", 15_000n),
      await books.quote(client, "sell", 5_000n),
    ];
    for (const quote of [buy, sell]) await bookOrder(books.api, orderItem(client, quote));
    const events = await books
      .sql`select created_at from gold.event where client_id = ${client} order by sequence`;
    const [funded, bought, sold] = events.map(({ created_at }) => (created_at as Date).getTime());
    // In a line, numbers stand for names. Assets: 1 SAR, 2 XAU. Sides: 1 buy, 2 sell. Accounts: 1 bank, 2
    // available, 4 house, 6 vault, 7 gold.
    const ends = await endsOf(client);
    const lines = [
      `2|${client}|1|2|${funding.id}|${funded}|1|1|2|1|100000|100000|0|0${ends[0]}`,
      `2|${client}|2|1|${buy}|${bought}|1|2|4|1|48150|51850|0|0|2|6|7|2|15000|51850|0|15000|1|15000|3210000|48150${
        ends[1]
      }`,
      `2|${client}|3|1|${sell}|${sold}|1|4|2|1|15950|67800|0|15000|2|7|6|2|5000|67800|0|10000|2|5000|3190000|15950${
        ends[2]
      }`,
    ];
    const links: string[] = [];
    for (const line of lines) links.push(linkAfter(links.at(-1) ?? START, line));
    assertEquals(await seal(client), links.at(-1)!);
    assertEquals(await linksOf(client), links);
  });

  it("seals a withdrawal's steps with a hash of IBAN, reference and login, and seals deposits", async () => {
    const client = await books.createClient({ halalas: 500n });
    const operators = [await hireOperator(books), await hireOperator(books)] as const;
    const [maker, checker] = operators;
    const item = withdrawalItem(client, 40n, { reference: "R|1" });
    await bookWithdrawal(books.api, item);
    await maker.approveWithdrawal(item.id);
    await checker.submitWithdrawals([item.id], newUuid());
    await maker.payWithdrawal(item.id);
    await maker.returnWithdrawal(item.id);
    const deposit = await maker.recordDeposit(await publicIdOf(books, client), 7n, newUuid());
    await checker.approveDeposit(deposit);
    await checker.reverseDeposit(deposit);
    const events = await books
      .sql`select created_at, subject from gold.event where client_id = ${client} order by sequence`;
    const [funding, ...times] = events.map(({ created_at }) => (created_at as Date).getTime());
    const told = (login: string) =>
      createHash("sha256").update(`["SA0380000000608010167519", "R|1", "${login}"]`).digest("hex");
    // In a line, numbers stand for names. Events: 2 funding, 3 to 8 the withdrawal's steps, 9 a reversal.
    // Accounts: 1 bank, 2 available, 3 held. Statuses count from 1 in the order of the enum.
    const ends = await endsOf(client);
    const lines = [
      `2|${client}|1|2|${events[0]!.subject}|${funding}|1|1|2|1|500|500|0|0${ends[0]}`,
      `2|${client}|2|3|${item.id}|${times[0]}|1|2|3|1|40|460|40|0|1|${told("postgres")}${ends[1]}`,
      `2|${client}|3|4|${item.id}|${times[1]}|2|${told(maker.login)}${ends[2]}`,
      `2|${client}|4|5|${item.id}|${times[2]}|3|${told(checker.login)}${ends[3]}`,
      `2|${client}|5|6|${item.id}|${times[3]}|1|3|1|1|40|460|0|0|4|${told(maker.login)}${ends[4]}`,
      `2|${client}|6|8|${item.id}|${times[4]}|1|1|2|1|40|500|0|0|6|${told(maker.login)}${ends[5]}`,
      `2|${client}|7|2|${deposit}|${times[5]}|1|1|2|1|7|507|0|0${ends[6]}`,
      `2|${client}|8|9|${deposit}|${times[6]}|1|2|1|1|7|500|0|0${ends[7]}`,
    ];
    assertEquals(await seal(client), lines.reduce(linkAfter, START));
    for (const operator of operators) await operator.leave();
  });

  it("writes lines of version 1 for orders and withdrawals that 0.3.0 booked without a signed request", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const quote = await books.quote(client, "buy", 1_000n);
    await bookOrder(books.api, orderItem(client, quote));
    const item = withdrawalItem(client, 40n);
    await bookWithdrawal(books.api, item);
    await withoutTriggers(books.sql, async (sql) => {
      await sql.unsafe(`${unsign(quote)}; ${unsign(item.id)}`);
      await sql`update gold.deployment set requests_kept_since = clock_timestamp()`;
    });
    await bookWithdrawal(books.api, withdrawalItem(client, 40n));
    const lines = await books.sql`
      select split_part(line, '|', 1) as version, line ~ '[|][0-9a-f]{64}[|][0-9a-f]{32}$' as is_bound
      from gold.chain_lines(${client}, 0, null) order by sequence`;
    assertEquals(lines.map(({ version, is_bound }) => `${version} ${is_bound}`), [
      "2 true",
      "1 false",
      "1 false",
      "2 true",
    ]);
    await seal(client);
  });

  it("continues where it ended, with the same links as sealing all at once", async () => {
    const client = await books.createClient();
    assertEquals(await seal(client), START);
    const heads: string[] = [];
    for (let n = 0; n < 3; n++) {
      await bookFunding(books.api, fundingItem(client, 1n));
      heads.push(await seal(client));
      assertEquals(await seal(client), heads.at(-1)!);
    }
    assertEquals(await linksOf(client), heads);
    await withoutTriggers(books.sql, async (sql) => {
      await sql`delete from gold.chain_link where client_id = ${client}`;
      await sql`delete from gold.chain_tail where client_id = ${client}`;
    });
    assertEquals(await seal(client), heads.at(-1)!);
    assertEquals(await linksOf(client), heads);
  });

  it("keeps one chain per client", async () => {
    const [one, two] = [await books.createClient({ halalas: 5n }), await books.createClient({ halalas: 5n })];
    const [head, other] = [await seal(one), await seal(two)];
    assertEquals([await linksOf(one), await linksOf(two)], [[head], [other]]);
    assertEquals(head === other, false);
  });

  it("seals each record once under concurrent sealers and orders", async () => {
    const client = await books.createClient({ halalas: 1_000_000n });
    const quotes = await Promise.all(Array.from({ length: 20 }, () => books.quote(client, "buy", 1n)));
    await Promise.all(
      quotes.flatMap((quote) => [bookOrder(books.api, orderItem(client, quote)), seal(client), seal(client)]),
    );
    const head = await seal(client);
    const links = await linksOf(client);
    assertEquals([links.length, links.at(-1)], [21, head]);
    assertEquals(await books.defects(), []);
  });

  it("waits for another sealer of the client, and continues where that sealer ended", async () => {
    const client = await books.createClient({ halalas: 1n });
    await seal(client);
    await bookFunding(books.api, fundingItem(client, 1n));
    const first = await books.sql.reserve();
    await first`begin`;
    await first`select from gold.chain_tail where client_id = ${client} for no key update`;
    const second = seal(client);
    await untilWaiting(books.sql);
    assertEquals((await linksOf(client)).length, 1);
    const head = await seal(client, first);
    await first`commit`;
    first.release();
    assertEquals(await second, head);
    assertEquals((await linksOf(client)).at(-1), head);
  });

  it("does not wait for the client's account", async () => {
    const client = await books.createClient({ halalas: 1n });
    const holder = await lockAccount(books.sql, client);
    const impatient = books.connect("gold_delivery", 1);
    await impatient`set lock_timeout = '200ms'`;
    assertMatch(await seal(client, impatient), /^[0-9a-f]{64}$/);
    await holder.release();
  });

  it("stops at a missing record instead of sealing the records after it", async () => {
    const client = await books.createClient({ halalas: 1n });
    await bookFunding(books.api, fundingItem(client, 1n));
    await withoutTriggers(books.sql, async (sql) => {
      await sql`delete from gold.event where client_id = ${client} and sequence = 1`;
      await sql`select gold.seal_chain(${client})`;
    }).then(() => "sealed", ({ code, message }) => `${code} ${message}`)
      .then((verdict) => assertEquals(verdict, `GB003 event 1 of client ${client} is missing`));
    await seal(client);
  });

  it("seals other clients even if a record of one client is missing", async () => {
    const [broken, whole] = [
      await books.createClient({ halalas: 1n }),
      await books.createClient({ halalas: 1n }),
    ];
    await bookFunding(books.api, fundingItem(broken, 1n));
    const sealed = await withoutTriggers(books.sql, async (sql) => {
      await sql`delete from gold.event where client_id = ${broken} and sequence = 1`;
      await sql`select gold.seal_next(${[broken, whole]}::int[])`;
      const rows = await sql`select client_id from gold.chain_link where client_id in (${broken}, ${whole})`;
      throw Object.assign(new Error("undone"), { sealed: rows.map(({ client_id }) => client_id) });
    }).catch((error: Error & { sealed?: number[] }) => error.sealed);
    assertEquals(sealed, [whole]);
  });

  it("makes unsealed_tail() count only the events that are not sealed yet", async () => {
    const client = await books.createClient({ halalas: 1n });
    const tail = () =>
      columnOf(books.sql`select events from gold.unsealed_tail() where client_id = ${client}`);
    await bookFunding(books.api, fundingItem(client, 1n));
    assertEquals(await tail(), ["2"]);
    await seal(client);
    await bookFunding(books.api, fundingItem(client, 1n));
    assertEquals(await tail(), ["1"]);
    await seal(client);
    assertEquals(await tail(), []);
  });

  it("returns the clients that may have more events, and seals fewer events of each client when it is called with many clients", async () => {
    const clients = [];
    for (const events of [51, 50, 49]) {
      const client = await books.createClient();
      await books.sql`
        select gold.book_funding(false, ${client}, 1, n::text, '\\x00', 1, 100000000000000, gen_random_uuid(), gen_random_uuid())
        from generate_series(1, ${events}) n`;
      clients.push(client);
    }
    // Add 97 clients without events. A call for these 100 clients seals at most 50 events of each.
    const crowd = clients.concat(Array.from({ length: 97 }, (_, n) => -1 - n));
    const sealSome = async () =>
      (await books.delivery`select gold.seal_next(${arrayLiteral(crowd)}::text::int[]) as client`).map((
        { client },
      ) => client);
    assertEquals([await sealSome(), await sealSome()], [clients.slice(0, 2), []]);
    assertEquals((await Promise.all(clients.map(linksOf))).map(({ length }) => length), [51, 50, 49]);
  });

  itLeavesNoDefects(books);
});
