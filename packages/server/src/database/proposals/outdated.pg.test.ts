import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  hireOperator,
  publicIdOf,
  suiteOperators,
  type TestOperator,
  verdictOf,
} from "../../booking/operator_fixture.ts";
import { suiteBooks } from "../../../testing/books.ts";

const OUTDATED = /^GR409 the proposal is outdated: another change of the same values was approved at /;
const PRICE = {
  source: "fixed",
  mid: "3200000",
  spread_basis_points: 60,
  stale_after_seconds: 10,
  url: null,
};
const payout = (name: string) => ({ name, iban: "SA9480000000000000000001", bic: "EXAMSARI" });

interface Proposed {
  readonly id: string;
  readonly sha256: string;
}

type Change = readonly [kind: string, content: object];

describe("proposals that replace a value", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  before(async () => {
    await books.sql`select gold.require_two_people()`;
  });

  async function propose({ sql }: TestOperator, kind: string, content: object): Promise<Proposed> {
    const [row] = await sql`select id, sha256 from gold.propose(${kind}, ${
      sql.json(content as never)
    }::jsonb)`;
    return row as unknown as Proposed;
  }
  const approve = ({ sql }: TestOperator, { id, sha256 }: Proposed) =>
    verdictOf(sql`select gold.approve_proposal(${id}::uuid, ${sha256})`);
  const reject = ({ sql }: TestOperator, { id }: Proposed) =>
    verdictOf(sql`select gold.reject_proposal(${id}::uuid)`);
  async function newPartner() {
    return await publicIdOf(books, await books.createClient({}));
  }

  it("are refused if another one was approved since they were made", async () => {
    const [one, other] = [await newPartner(), await newPartner()];
    const iban = (client_id: string, iban: string): Change => ["partner.iban", { client_id, iban }];
    const terms = (client_id: string, content: object): Change => ["partner.set", { client_id, ...content }];
    const replaced: readonly (readonly [older: Change, newer: Change])[] = [
      [["price.set", { ...PRICE, mid: "3210000" }], ["price.set", { ...PRICE, mid: "3220000" }]],
      [["market.set", { exposure: "200000" }], ["market.set", { exposure: "300000" }]],
      [terms(one, { name: "Older Bank" }), terms(one, { name: "Newer Bank", burst: 9_000 })],
      [iban(one, "SA4420000001234567891234"), iban(one, "SA9480000000000000000001")],
      [["deployment.payout", payout("Older House")], ["deployment.payout", payout("Newer House")]],
    ];
    await books.sql`select gold.set_exposure(100000)`;
    for (const [older, newer] of replaced) {
      const [outdated, first] = [await propose(maker, ...older), await propose(maker, ...newer)];
      const unrelated = await propose(maker, ...terms(other, { name: `${older[0]} Bank` }));
      assertEquals(await approve(checker, first), "done", older[0]);
      const verdict = await approve(checker, outdated);
      assert(OUTDATED.test(verdict) && verdict.includes(first.id), `${older[0]}: ${verdict}`);
      assertEquals(await approve(checker, unrelated), "done", older[0]);
      const again = await propose(maker, ...older);
      assertEquals(await approve(checker, again), "done", older[0]);
    }
    const [price] = await books.sql`select mid from gold.price`;
    assertEquals(price!.mid, "3210000");
  });

  it("are approved after a rejection, a tick of the source and a change of another kind", async () => {
    const simulated = { ...PRICE, source: "simulated", mid: "3210000" };
    assertEquals(await approve(checker, await propose(maker, "price.set", simulated)), "done");
    const older = await propose(maker, "price.set", { ...PRICE, mid: "3220000" });
    const rejected = await propose(maker, "price.set", { ...PRICE, mid: "3230000" });
    assertEquals(await reject(checker, rejected), "done");
    const [{ ticked }] = await books.sql<[{ ticked: boolean }]>`
      select gold.tick_price(as_of, url, spread_basis_points, 3211000, gold.buy_of(3211000, 60), gold.sell_of(3211000, 60), null) as ticked
      from gold.price`;
    assertEquals(ticked, true);
    const breaker = { breaker: { basis_points: 500, seconds: 60 } };
    assertEquals(await approve(checker, await propose(maker, "market.set", breaker)), "done");
    assertEquals(await approve(checker, older), "done");
  });

  it("are approved once if two people approve two of them at the same time", async () => {
    for (const kind of ["market.set", "price.set"]) {
      const contents = kind === "price.set"
        ? ["3220000", "3230000"].map((mid) => ({ ...PRICE, mid }))
        // These two change different rows.
        : [{ exposure: null }, { breaker: { basis_points: 600, seconds: 60 } }];
      const proposals = [
        await propose(maker, kind, contents[0]!),
        await propose(maker, kind, contents[1]!),
      ];
      const third = await hireOperator(books);
      const verdicts = await Promise.all([approve(checker, proposals[0]!), approve(third, proposals[1]!)]);
      await third.leave();
      assertEquals(verdicts.filter((verdict) => verdict === "done").length, 1, verdicts.join());
      assertEquals(verdicts.filter((verdict) => OUTDATED.test(verdict)).length, 1, verdicts.join());
    }
  });

  it("are outdated although the clock stepped back before the other approval", async () => {
    const [older, newer] = [
      await propose(maker, "market.set", { exposure: "200000" }),
      await propose(maker, "market.set", { exposure: "300000" }),
    ];
    assertEquals(await approve(checker, newer), "done");
    await books.sql.begin(async (sql) => {
      await sql`alter table gold.proposal disable trigger freeze_proposal`;
      await sql`update gold.proposal set decided_at = decided_at - interval '1 hour' where id = ${newer.id}`;
      await sql`alter table gold.proposal enable trigger freeze_proposal`;
    });
    const verdict = await approve(checker, older);
    assert(OUTDATED.test(verdict), verdict);
  });
});
