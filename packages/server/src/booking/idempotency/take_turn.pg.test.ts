import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import type { Sql } from "postgres";
import type { Sending } from "../batcher.ts";
import { balanceOf } from "../operator_fixture.ts";
import type { Outcome } from "../outcome.ts";
import {
  bookFunding,
  bookOrder,
  bookWithdrawal,
  fundingItem,
  lockAccount,
  newUuid,
  orderItem,
  readBooks,
  untilWaiting,
  withdrawalItem,
  wordOf,
} from "../fixture.ts";

/** The fields that every item has. A funding ignores the nonce. */
interface Turn {
  readonly key: string;
  readonly nonce: string;
  readonly fingerprint: string;
  readonly admissionVersion: string;
  readonly requestId: string;
  readonly id: string;
}

type Book = (
  sql: Sql,
  client: number,
  amountHalalas: bigint,
  given?: Partial<Turn>,
  sending?: Partial<Sending>,
) => Promise<Outcome>;

/** The writes that are booked alone. They follow the same rules for keys. */
const WRITES: Record<string, Book> = {
  book_funding: (sql, client, amount, { nonce: _, ...given } = {}, sending) =>
    bookFunding(sql, fundingItem(client, amount, given), sending),
  book_withdrawal: (sql, client, amount, given = {}, sending) =>
    bookWithdrawal(sql, withdrawalItem(client, amount, given), sending),
};
const TOO_MUCH = 10n ** 20n;
const OTHER_FINGERPRINT = "0b".repeat(32);
const newTurn = () => ({ key: newUuid(), nonce: newUuid(), requestId: newUuid(), id: newUuid() });
const retryOf = (turn: Partial<Turn>) => ({ ...turn, nonce: newUuid(), requestId: newUuid(), id: newUuid() });

describe("take_turn", () => {
  const books = suiteBooks();

  const rich = () => books.createClient({ halalas: 1_000_000n });
  /**
   * All rows except those of `table`. Tests leave out the table of nonces, because a retry stores a new
   * nonce.
   */
  const rowsBut = async (table: string) =>
    (await readBooks(books.sql)).filter((line) => !line.startsWith(`${table} `));

  for (const [name, book] of Object.entries(WRITES)) {
    it(`replays the first answer of ${name} byte for byte, and moves nothing twice`, async () => {
      const client = await rich();
      for (const amount of [5n, TOO_MUCH]) {
        const turn = newTurn();
        const first = await book(books.api, client, amount, turn);
        assertEquals(first.outcome, "answered");
        await book(books.api, client, 1n);
        const committed = await rowsBut("nonce");
        assertEquals(await book(books.api, client, amount, retryOf(turn)), { ...first, outcome: "replayed" });
        const conflicting = { ...retryOf(turn), fingerprint: OTHER_FINGERPRINT };
        assertEquals(
          await book(books.api, client, amount, conflicting),
          { outcome: "idempotency_key_conflict", status: null, body: null } as Outcome,
        );
        assertEquals(await rowsBut("nonce"), committed);
      }
    });

    it(`settles ${name} after a lost connection: returns the committed answer, or books it`, async () => {
      const client = await rich();
      for (const amount of [5n, TOO_MUCH]) {
        const turn = newTurn();
        const first = await book(books.api, client, amount, turn);
        const committed = await readBooks(books.sql);
        assertEquals(await book(books.api, client, amount, turn, { settle: true }), first);
        await books.sql`update gold.account set admission_version = 2 where client_id = ${client}`;
        assertEquals(await book(books.api, client, amount, turn, { settle: true }), first);
        await books.sql`update gold.account set admission_version = 1 where client_id = ${client}`;
        assertEquals(await readBooks(books.sql), committed);
        for (const fingerprint of [undefined, OTHER_FINGERPRINT]) {
          const retry = { ...retryOf(turn), ...(fingerprint && { fingerprint }) };
          for (let attempt = 1; attempt <= 2; attempt++) {
            assertEquals(
              (await book(books.api, client, amount, retry, { settle: true })).outcome,
              fingerprint ? "idempotency_key_conflict" : "replayed",
            );
          }
        }
      }
      assertEquals(
        wordOf(await book(books.api, client, 5n, newTurn(), { settle: true })),
        "answered 201",
      );
    });

    it(`${name} stores nothing if the admission version is not the account's current one`, async () => {
      const client = await rich();
      const turn = newTurn();
      const before = await readBooks(books.sql);
      for (const admissionVersion of ["2", "0"]) {
        assertEquals(
          wordOf(await book(books.api, client, 5n, { ...turn, admissionVersion })),
          "admission_changed",
        );
      }
      assertEquals(await readBooks(books.sql), before);
      assertEquals(wordOf(await book(books.api, client, 5n, turn)), "answered 201");
      // Refuse a replay, too, because a client whose admission ended must not learn what was booked.
      assertEquals(
        wordOf(await book(books.api, client, 5n, { ...retryOf(turn), admissionVersion: "2" })),
        "admission_changed",
      );
    });

    it(`executes one of fifty concurrent ${name} calls with one key, and gives all its result`, async () => {
      const client = await rich();
      const turn = newTurn();
      const pool = books.connect("gold_api", 50);
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, () => book(pool, client, 5n, retryOf(turn))),
      );
      assertEquals(outcomes.map(({ outcome }) => outcome).filter((word) => word !== "replayed"), [
        "answered",
      ]);
      assertEquals(new Set(outcomes.map(({ body }) => body)).size, 1);
      const [sum] = await books.sql`select count(*)::int as n from gold.transfer where client_id = ${client}`;
      assertEquals(sum!.n, 2);
      await pool.end();
    });
  }

  it("binds a key for all write operations of one client, and for no other client", async () => {
    const [client, other] = [await rich(), await rich()];
    const writes = [
      WRITES["book_funding"]!,
      WRITES["book_withdrawal"]!,
      (sql: Sql, owner: number, _amount: bigint, given: Partial<Turn> = {}) => {
        const { id: _, ...rest } = given;
        return bookOrder(sql, orderItem(owner, null, rest));
      },
    ];
    for (const first of writes) {
      const turn = newTurn();
      await first(books.api, client, 5n, turn);
      for (const second of writes.filter((write) => write !== first)) {
        const others = { ...retryOf(turn), fingerprint: OTHER_FINGERPRINT };
        assertEquals(wordOf(await second(books.api, client, 5n, others)), "idempotency_key_conflict");
        assertNotEquals(wordOf(await second(books.api, other, 5n, retryOf(newTurn()))), "replayed 201");
      }
      assertEquals((await first(books.api, other, 5n, { ...turn, id: newUuid() })).outcome, "answered");
    }
  });

  it("spends a withdrawal's nonce for all signed writes, also at a refusal, replay or conflict", async () => {
    for (const settle of [false, true]) await spendOnce({ settle });
  });

  async function spendOnce(sending: Partial<Sending>): Promise<void> {
    const client = await rich();
    const turn = newTurn();
    const book = WRITES["book_withdrawal"]!;
    const spending = [
      turn,
      { ...newTurn(), amount: TOO_MUCH },
      retryOf(turn),
      { ...retryOf(turn), fingerprint: OTHER_FINGERPRINT },
    ];
    for (const { amount = 5n, ...given } of spending as (Turn & { amount?: bigint })[]) {
      assertNotEquals((await book(books.api, client, amount, given, sending)).outcome, "nonce_reused");
    }
    const committed = await readBooks(books.sql);
    for (const { nonce } of spending) {
      assertEquals(wordOf(await book(books.api, client, 5n, { nonce }, sending)), "nonce_reused");
      const replay = { ...retryOf(turn), nonce };
      assertEquals(wordOf(await book(books.api, client, 5n, replay, sending)), "nonce_reused");
      assertEquals(wordOf(await bookOrder(books.api, orderItem(client, null, { nonce }))), "nonce_reused");
    }
    assertEquals(await readBooks(books.sql), committed);
    const other = await rich();
    assertEquals(wordOf(await book(books.api, other, 5n, { nonce: turn.nonce })), "answered 201");
  }

  it("waits for the account's lock, and reads the clock afterwards", async () => {
    const client = await rich();
    const holder = await lockAccount(books.sql, client);
    const item = withdrawalItem(client, 5n);
    const waiting = bookWithdrawal(books.api, item);
    await untilWaiting(books.sql);
    assertEquals(await balanceOf(books, client), "1000000 0 0");
    const [released] = await holder.sql`select clock_timestamp() as at`;
    await holder.release();
    assertEquals(wordOf(await waiting), "answered 201");
    const [row] = await books.sql`select created_at from gold.withdrawal where id = ${item.id}`;
    assertEquals(row!.created_at >= released!.at, true);
  });

  it("refuses a null admission version, and a null nonce for a withdrawal", async () => {
    const client = await rich();
    const [row] = await books.api`
      select outcome from gold.book_withdrawal(false, ${client}, null, gen_random_uuid(), 'k', '\\x00', 1, 10, null, gen_random_uuid(), gen_random_uuid(),
        null, '\\xab', sha256(''))`;
    assertEquals(row!.outcome, "admission_changed");
    const verdict = await books.api`
      select outcome from gold.book_withdrawal(false, ${client}, 1, null, 'k', '\\x00', 1, 10, null, gen_random_uuid(), gen_random_uuid(),
        null, '\\xab', sha256(''))`
      .then(([row]) => row!.outcome, ({ code }) => code);
    assertEquals(verdict, "22004");
  });

  itLeavesNoDefects(books);
});
