import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { migrate, simulatedSource, type TestBooks, testBooks } from "@gold-partner/server/testing";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { dropLogins } from "../../../../tools/testing/drop_logins.ts";
import { seedTests } from "../../../../tools/testing/seed.ts";
import { auditAt, connectAs } from "../audit_fixture.ts";

seedTests(import.meta.url);

const MID = 5_000_000;
const DAY_SECONDS = 86_400;
/** The database judges one price of so many, because each takes it milliseconds. The audit judges each. */
const CHUNK_SECONDS = 600;
const URL_OF_SOURCE = "https://prices.example/";

/** The prices that the rule reports. */
async function reported({ url }: TestBooks): Promise<number[]> {
  const { findings } = await auditAt(url, { rowsOnly: true, registryOnly: true });
  const ids = findings.filter(({ rule }) => rule === "price_is_allowed").map(({ row }) =>
    Number(row.split(" ")[1])
  );
  return [...new Set(ids)];
}

/** Makes the audit rows those of 0.4.0, which name no price. The audit then checks only what follows. */
const forget = ({ sql }: TestBooks) =>
  sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`update gold.audit set detail = detail - 'price_id'`;
  });

const newestId = async ({ sql }: TestBooks): Promise<number> =>
  (await sql`select coalesce(max(id), 0)::int as id from gold.price_history`)[0]!.id;

/** Calls `change`. If the band refuses it, turns the band off for it, as the migration login can. */
async function force({ sql }: TestBooks, change: string): Promise<boolean> {
  const refused = await sql.unsafe(change).then(() => false, (error) => {
    if (error.code !== "GR409") throw error;
    return true;
  });
  if (refused) {
    await sql.begin(async (transaction) => {
      const [band] =
        await transaction`select band_basis_points as step, band_hour_basis_points as hour from gold.price`;
      await transaction`update gold.price set band_basis_points = null, band_hour_basis_points = null`;
      await transaction.unsafe(change);
      await transaction`update gold.price set band_basis_points = ${band!.step}, band_hour_basis_points = ${
        band!.hour
      }`;
    });
  }
  return refused;
}

const setPrice = (source: string, mid: number, spread: number): string => `
  select gold.set_price('${source}', ${mid}, gold.buy_of(${mid}, ${spread}), gold.sell_of(${mid}, ${spread}), ${spread}, 10,
    ${source === "http" ? `'${URL_OF_SOURCE}'` : "null"})`;
/** Moves the price by basis points, as a tick of the source. */
const tick = (move: number, buy: number): string => `
  select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, m.mid, gold.buy_of(m.mid, p.spread_basis_points) + ${buy},
    gold.sell_of(m.mid, p.spread_basis_points), null)
  from gold.current_price p, lateral (select p.mid * ${10_000 + move} / 10000) m (mid)`;

/** Makes the prices that are stored older. */
const wait = (minutes: number): string => `
  set local session_replication_role = replica;
  update gold.price_history set stored_at = stored_at - interval '${minutes} minutes'`;

const MOVES = fc.oneof(
  fc.constantFrom(0, 99, 100, 101, 200),
  fc.integer({ min: -300, max: 300 }),
  fc.integer({ min: -5000, max: 5000 }),
);
const STEPS = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(MOVES, fc.constantFrom(0, 0, 0, 0, 1)).map(([move, buy]) => tick(move, buy)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom("simulated", "fixed", "http"), MOVES, fc.constantFrom(60, 600)).map((
      [source, move, spread],
    ) => setPrice(source, MID * (10_000 + move) / 10_000 | 0, spread)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("null, null", "100, 100", "100, 500", "200, 500").map((band) =>
      `select gold.set_band(${band})`
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(20, 40, 59, 61).map(wait),
  },
  {
    weight: 1,
    arbitrary: fc.constant("update gold.price set quote_ttl_seconds = 61 - quote_ttl_seconds % 2"),
  },
);

/** Four steps that together leave the band of an hour, with a pause after the first. */
const hourly = (
  minutes: number,
): string[] => [tick(99, 0), wait(minutes), ...[1, 2, 3].map(() => tick(99, 0))];

/** Rises that together leave the band of an hour, with two pauses. */
const swinging = (minutes: number): string[] =>
  [1, 2, 3, 4, 5].flatMap((round) => [tick(99, 0), tick(-99, 0), ...round % 2 ? [wait(minutes)] : []]);

describe("the audit of prices with a single operator", () => {
  let books: TestBooks;
  before(async () => {
    books = await testBooks();
  });
  after(() => books.stop());

  it("reports exactly the prices that the band refuses, for any history of prices, sources and bands", async () => {
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(STEPS, { minLength: 30, maxLength: 60 }), async (steps) => {
        await books.sql.unsafe("select gold.set_band(null, null)");
        await forget(books);
        await books.sql.unsafe(`${setPrice("simulated", MID, 60)}; select gold.set_band(100, 300)`);
        const expected: number[] = [];
        for (const step of steps) if (await force(books, step)) expected.push(await newestId(books));
        assertEquals(await reported(books), expected);
        refusals += expected.length;
      }),
      {
        numRuns: 10,
        endOnFailure: true,
        examples: [[hourly(59)], [hourly(61)], [swinging(29)], [swinging(31)]],
      },
    );
    assert(refusals > 0);
  });

  it("judges the swings of an hour only from the band on that bounds them, and a history of 0.5.0 without them", async () => {
    const swing = async () => {
      for (let count = 0; count < 6; count++) await force(books, tick(count % 2 ? -150 : 150, 0));
    };
    await books.sql.unsafe("select gold.set_band(null, null)");
    await forget(books);
    await books.sql.unsafe(`${setPrice("simulated", MID, 60)}; select gold.set_band(200, 300)`);
    await books.sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction`update gold.audit set detail = detail - 'swings'`;
    });
    await swing();
    assertEquals(await reported(books), []);
    await migrate(books.url, { environment: "sandbox" });
    assertEquals(await reported(books), []);
    await swing();
    assert((await reported(books)).length > 0);
  });

  it("reports a source, a spread, a lifetime and a fixed price that no price.set names", async () => {
    await books.sql`select gold.set_band(null, null)`;
    await forget(books);
    await books.sql.unsafe(setPrice("simulated", MID, 60));
    const edits = [
      "source = 'fixed'",
      "spread_basis_points = 1",
      "stale_after_seconds = 2147483647, as_of = 'epoch'",
    ];
    const expected = [];
    for (const edit of edits) {
      await books.sql.unsafe(`update gold.price set ${edit}`);
      expected.push(await newestId(books));
      await books.sql.unsafe(setPrice("simulated", MID, 60));
    }
    await books.sql.unsafe(setPrice("fixed", MID, 60));
    await books.sql`update gold.price set source = source`;
    await books.sql`update gold.price set mid = 200, buy = 201, sell = 199`;
    expected.push(await newestId(books));
    assertEquals(await reported(books), expected);
  });

  it("reports no price from before the first audit row that names one, as after an upgrade from 0.4.0", async () => {
    assert((await reported(books)).length > 0);
    await forget(books);
    assertEquals(await reported(books), []);
    await books.sql.unsafe("select gold.set_band(200, 500)");
    await force(books, setPrice("fixed", 2 * MID, 60));
    assertEquals(await reported(books), [await newestId(books)]);
  });
});

describe("the audit of the prices of the sandbox's own source", () => {
  let books: TestBooks;
  before(async () => {
    books = await testBooks();
    await books.sql.unsafe(`${setPrice("simulated", MID, 60)}; select gold.set_band(200, 500)`);
  });
  after(() => books.stop());

  /** Judges a price as the database does when it is stored this many seconds after the newest change. */
  const judge = (mid: string, seconds: number) =>
    books.sql`
      select gold.refuse_outside_band(jsonb_populate_record(p, jsonb_build_object('mid', m, 'buy', gold.buy_of(m, 60),
        'sell', gold.sell_of(m, 60), 'stored_at', p.stored_at + make_interval(secs => ${seconds}))))
      from gold.price p, (values (${mid}::text::bigint)) v (m)`;
  /** Stores one price for each second from this one on. */
  const store = (mids: readonly string[], seconds: number) =>
    books.sql`
      insert into gold.price_history
      select p.id + n, m, gold.buy_of(m, 60), gold.sell_of(m, 60), at, at, 60, 10, 60, 'simulated', '\\x00'
      from gold.price p, unnest(${mids}::bigint[]) with ordinality v (m, place),
        lateral (select ${seconds}::int + place - 1, p.stored_at + make_interval(secs => ${seconds}::int + place - 1)) t (n, at)`;

  it("finds none outside the band in 24 hours of the database's time, like the database", async () => {
    const source = simulatedSource(() => randomBytes(2));
    const { signal } = new AbortController();
    let midPips = BigInt(MID);
    for (let second = 1; second <= DAY_SECONDS; second += CHUNK_SECONDS) {
      const mids: string[] = [];
      while (mids.length < CHUNK_SECONDS) {
        const standing = { source: "simulated", url: null, midPips, spreadBasisPoints: 60n, asOf: undefined };
        ({ midPips } = (await source.next(standing, signal))!);
        mids.push(`${midPips}`);
      }
      await judge(mids[0]!, second);
      await store(mids, second);
    }
    assertEquals(await reported(books), []);
  });
});

describe("the audit of prices under two people", () => {
  const logins = [0, 1].map(() => `auditor_${randomBytes(4).toString("hex")}`);
  let books: TestBooks;
  before(async () => {
    books = await testBooks();
    for (const login of logins) await books.sql`select gold.add_operator(${login}, ${login})`;
    await books.sql.unsafe(setPrice("simulated", MID, 60));
    await books.sql`select gold.require_two_people()`;
  });
  after(async () => {
    await dropLogins(books.sql, ...logins);
    await books.stop();
  });

  async function approve(content: Record<string, unknown>): Promise<void> {
    const [maker, checker] = logins.map((login) => connectAs(books, login));
    const given = { spread_basis_points: 60, stale_after_seconds: 10, url: null, ...content };
    const [row] = await maker!`select * from gold.propose('price.set', ${maker!.json(given)}::jsonb)`;
    await checker!`select gold.approve_proposal(${row!.id}::uuid, ${row!.sha256})`;
    await Promise.all([maker!.end(), checker!.end()]);
  }

  it("finds nothing after the migration of a deployment that had neither a band nor a breaker", async () => {
    const own = await testBooks();
    try {
      await own.sql`
        select gold.create_partner('sbx_00000000000000000001', 'Bank', 'SA0380000000608010167519', 'https://localhost/', 50, 50,
          10000000, '{127.0.0.1/32}', ${randomBytes(32)}, ${randomBytes(60)}, 'none', '[]')`;
      // Without a price, require_two_people() stores neither of them, as in an earlier release.
      await own.sql.begin(async (sql) => {
        await sql`set local session_replication_role = replica`;
        await sql`create temporary table kept on commit drop as select * from gold.price`;
        await sql`delete from gold.price`;
        await sql`select gold.require_two_people()`;
        await sql`insert into gold.price select * from kept`;
      });
      await migrate(own.url, { environment: "sandbox" });
      const [row] = await own.sql`
        select band_hour_basis_points as hour, halt_basis_points as percent, halt_seconds as within from gold.price`;
      assertEquals({ ...row }, { hour: 500, percent: 500, within: 60 });
      const { findings } = await auditAt(own.url, { rowsOnly: true, registryOnly: true });
      assertEquals(findings, []);
    } finally {
      await own.stop();
    }
  });

  it("reports no price that two people named, and then compares with this price", async () => {
    await approve({ source: "simulated", mid: `${9 * MID}` });
    await books.sql.unsafe(tick(150, 0));
    await approve({ source: "simulated", spread_basis_points: 80 });
    await approve({ source: "http", url: URL_OF_SOURCE });
    await books.sql.unsafe(tick(-100, 0));
    await approve({ source: "fixed", mid: `${MID}` });
    assertEquals(await reported(books), []);
    assertEquals(
      await force(books, "select gold.tick_price(null, null, 80, 1, 2, 1, null)"),
      false,
      "no source",
    );
    await approve({ source: "simulated" });
    assertEquals(await force(books, tick(300, 0)), true);
    assertEquals(await reported(books), [await newestId(books)]);
  });
});
