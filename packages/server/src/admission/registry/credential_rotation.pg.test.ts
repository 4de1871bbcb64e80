import { TEST_PUBLIC_JWK } from "../../../testing/partner.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { bookOrder, orderItem, plantQuote, wordOf } from "../../booking/fixture.ts";
import {
  countActive,
  DAY_SECONDS,
  KINDS,
  newThumbprint,
  newTrader,
  refusalOf,
  type Trader,
} from "./credential_fixture.ts";
import { columnOf } from "../../../testing/rows.ts";

describe("rotation of credentials", () => {
  const books = suiteBooks();
  before(() => books.addBar(10_000_000n));

  const trader = () => newTrader(books);

  for (const noun of ["client secret", "webhook secret"]) {
    const kind = KINDS[noun]!;
    const endsOf = ({ client }: Trader) =>
      columnOf<(number | null)>(books.sql`
        select round(extract(epoch from retire_at - clock_timestamp()) / 60)::int as minutes from gold.${
        books.sql(kind.table)
      }
        where partner_id = ${client} order by id`);

    it(`rotating a ${noun} retires older ones after the overlap or at an earlier end`, async () => {
      const subject = await trader();
      assertEquals(await endsOf(subject), [null]);
      await kind.add(books.sql, subject, 3600);
      assertEquals(await endsOf(subject), [60, null]);
      await kind.add(books.sql, subject, 7200);
      assertEquals(await endsOf(subject), [60, 120, null]);
      await kind.add(books.sql, subject, 1800);
      assertEquals(await endsOf(subject), [30, 30, 30, null]);
    });

    it(`rotating a ${noun} without overlap retires older ones at once, and keeps earlier ends`, async () => {
      const subject = await trader();
      await kind.add(books.sql, subject, 0);
      assertEquals(await countActive(books.sql, kind, subject), 1);
      const ends = () =>
        books.sql`select retire_at from gold.${
          books.sql(kind.table)
        } where partner_id = ${subject.client} order by id limit 1`;
      const before = await ends();
      assert(before[0]!.retire_at <= new Date());
      await kind.add(books.sql, subject, 0);
      assertEquals((await ends())[0]!.retire_at, before[0]!.retire_at);
    });

    it(`rotating a ${noun} refuses a negative overlap and an overlap above 90 days`, async () => {
      const subject = await trader();
      for (const wrong of [-1, 90 * DAY_SECONDS + 1]) {
        assertEquals(
          await refusalOf(kind.add(books.sql, subject, wrong)),
          "GR409 the overlap must be between 0 seconds and 90 days",
        );
      }
      await kind.add(books.sql, subject, 90 * DAY_SECONDS);
    });
  }

  it("rotating a client secret without overlap ends every earlier admission", async () => {
    const subject = await trader();
    const terms = {
      client: subject.client,
      side: "buy",
      grams: 100n,
      price: 3_210_000n,
      ageSeconds: 0,
    } as const;
    const item = orderItem(subject.client, await plantQuote(books.sql, terms));
    await KINDS["client secret"]!.add(books.sql, subject, 0);
    assertEquals(wordOf(await bookOrder(books.api, item)), "admission_changed");
  });

  describe("a signing key", () => {
    const add = ({ publicId }: Trader, thumbprint: string, kid: string | null = null, sql: Sql = books.sql) =>
      refusalOf(
        sql`select gold.add_signing_key(${publicId}, ${thumbprint}, ${kid}, ${TEST_PUBLIC_JWK}::text::jsonb)`,
      );

    it("is registered once, and cannot be registered again after it has retired", async () => {
      const subject = await trader();
      const [thumbprint, other] = [newThumbprint(), newThumbprint()];
      assertEquals(await add(subject, thumbprint), "done");
      assertEquals(await add(subject, thumbprint), "GR409 this key is registered already");
      assertEquals(await add(subject, other), "done");
      await KINDS["signing key"]!.retire(books.sql, subject, thumbprint);
      const refusal = await add(subject, thumbprint);
      assert(
        /^GR409 this key was retired at .*Z, and a retired key cannot be registered again: /.test(refusal),
        refusal,
      );
    });

    it("belongs to one partner, also if two partners register it concurrently", async () => {
      const [one, two] = [await trader(), await trader()];
      const thumbprint = newThumbprint();
      const outcomes = await Promise.all(
        [one, two].map((each) => add(each, thumbprint, null, books.connect("superuser", 1))),
      );
      assertEquals(outcomes.filter((word) => word === "done").length, 1);
      const refusal = outcomes.find((word) => word !== "done")!;
      assert(
        /^GR409 this key is registered for sbx_.*: each partner needs its own signing key$/.test(refusal),
      );
    });

    it("cannot have the kid or thumbprint of another key of the partner as its kid", async () => {
      const [subject, other] = [await trader(), await trader()];
      const thumbprint = newThumbprint();
      assertEquals(await add(subject, thumbprint, "hsm-1"), "done");
      for (const kid of ["hsm-1", thumbprint]) {
        assertEquals(
          await add(subject, newThumbprint(), kid),
          `GR409 another key of this partner already has ${kid} as its kid or thumbprint: choose another kid`,
        );
      }
      assertEquals(await add(subject, newThumbprint(), "hsm-2"), "done");
      assertEquals(await add(other, newThumbprint(), "hsm-1"), "done");
    });
  });
});
