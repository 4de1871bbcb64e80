import { assert, assertEquals } from "@std/assert";
import { suiteBooks } from "../../../testing/books.ts";
import { assertStartsWith } from "../../../testing/assert_starts_with.ts";
import { Buffer } from "node:buffer";
import { before, describe, it } from "node:test";
import { bookOrder, orderItem, plantQuote, readBooks, untilWaiting, wordOf } from "../../booking/fixture.ts";
import { countActive, type CredentialKind, KINDS, newTrader, refusalOf } from "./credential_fixture.ts";

const TERMS = { side: "buy", grams: 100n, price: 3_210_000n, ageSeconds: 0 } as const;

describe("a partner's credentials", () => {
  const books = suiteBooks();
  before(() => books.addBar(10_000_000n));

  const codeOf = async (change: PromiseLike<unknown>) => (await refusalOf(change)).split(" ")[0];
  const buy = async (client: number) => orderItem(client, await plantQuote(books.sql, { ...TERMS, client }));
  const registryVersion = async () =>
    Number((await books.sql`select version from gold.registry_version`)[0]!.version);
  const lastNote = async (subject: string) =>
    (await books.sql`select action from gold.audit where subject = ${subject} order by id desc limit 1`)[0]!
      .action;

  const trader = () => newTrader(books);
  const used = ({ table, name }: CredentialKind, one: string, secondsAgo: number) =>
    books.sql`
      update gold.${
      books.sql(table)
    } set last_used_at = clock_timestamp() - make_interval(secs => ${secondsAgo})
      where ${books.sql(name)}::text = ${one}`;

  for (const [noun, kind] of Object.entries(KINDS)) {
    it(`adding a ${noun} ends no admission, raises the registry's version and is audited`, async () => {
      const subject = await trader();
      const item = await buy(subject.client);
      const before = await registryVersion();
      await kind.add(books.sql, subject);
      assertEquals(await registryVersion(), before + 1);
      assert(/\.(rotate|add)$/.test(await lastNote(subject.publicId)));
      assertEquals(wordOf(await bookOrder(books.api, item)), "answered 201");
    });

    it(`retiring a ${noun} raises the registry's version, is audited and succeeds once`, async () => {
      const subject = await trader();
      const [first] = [await kind.add(books.sql, subject), await kind.add(books.sql, subject)];
      const before = await registryVersion();
      await kind.retire(books.sql, subject, first!);
      assertEquals(await registryVersion(), before + 1);
      assert((await lastNote(subject.publicId)).endsWith(".retire"));
      assertStartsWith(
        await refusalOf(kind.retire(books.sql, subject, first!)),
        `GR409 the ${noun} is retired already, since `,
      );
    });

    it(`the last ${noun} without a retirement date stays, even if two are retired concurrently`, async () => {
      const subject = await trader();
      // Delete the credential that the partner was created with, because it would count as another credential
      // without a retirement date.
      await books.sql`delete from gold.${books.sql(kind.table)} where partner_id = ${subject.client}`;
      const first = await kind.add(books.sql, subject);
      const words =
        `GR409 the partner would have no other ${noun} without a retirement date: add one first, ` +
        "or suspend the partner";
      assertEquals(await refusalOf(kind.retire(books.sql, subject, first)), words);
      const second = await kind.add(books.sql, subject);
      await books.sql`update gold.${
        books.sql(kind.table)
      } set retire_at = null where partner_id = ${subject.client}`;
      const ends = [first, second].map((one) => refusalOf(kind.retire(books.sql, subject, one)));
      assertEquals((await Promise.all(ends)).sort(), [words, "done"]);
      assertEquals(await countActive(books.sql, kind, subject), 1);
    });

    it(`a ${noun} used in the last hour is retired only if the operator was shown this use`, async () => {
      const subject = await trader();
      const [one, two] = [await kind.add(books.sql, subject), await kind.add(books.sql, subject)];
      await used(kind, one, 60);
      const threeHoursAgo = new Date(Date.now() - 3 * 3_600_000).toISOString();
      for (const seen of [null, threeHoursAgo]) {
        assertStartsWith(
          await refusalOf(kind.retire(books.sql, subject, one, seen)),
          `GR409 the ${noun} was used meanwhile, at `,
        );
      }
      const twoMinutesAgo = new Date(Date.now() - 120_000).toISOString();
      assertEquals(await refusalOf(kind.retire(books.sql, subject, one, twoMinutesAgo)), "done");
      await kind.add(books.sql, subject);
      await used(kind, two, 60);
      assertEquals(await refusalOf(kind.retire(books.sql, subject, two, "infinity")), "done");
    });

    it(`at most five of a partner's ${noun}s are active, even if ten are added concurrently`, async () => {
      const subject = await trader();
      const adding = Array.from(
        { length: 10 },
        () => refusalOf(kind.add(books.connect("superuser", 1), subject)),
      );
      const refused = (await Promise.all(adding)).filter((word) => word !== "done");
      assertEquals(
        [...new Set(refused)],
        [`GR409 5 ${noun}s are active, which is the maximum: retire one that is no longer used`],
      );
      assertEquals(await countActive(books.sql, kind, subject), 5);
    });

    it(`another partner's ${noun}, an unknown ${noun} and an unknown partner are not found`, async () => {
      const [subject, other] = [await trader(), await trader()];
      const foreign = await kind.add(books.sql, other);
      assertEquals(await codeOf(kind.retire(books.sql, subject, foreign)), "GR404");
      assertEquals(await codeOf(kind.retire(books.sql, subject, "1234567890")), "GR404");
      assertEquals(await codeOf(kind.add(books.sql, { ...subject, publicId: "sbx_none" })), "GR404");
    });
  }

  it("a client secret's hash has 32 bytes, and a refused one changes nothing", async () => {
    const { publicId } = await trader();
    const before = await readBooks(books.sql);
    for (const bytes of [0, 1, 31, 33, 64]) {
      const rotation = books.sql`select gold.rotate_client_secret(${publicId}, ${Buffer.alloc(bytes)}, 0)`;
      assertEquals(
        await refusalOf(rotation),
        `GR409 the hash of a client secret is a SHA-256 of 32 bytes, not of ${bytes}`,
      );
    }
    assertEquals(await readBooks(books.sql), before);
  });

  for (const noun of ["client secret", "signing key"]) {
    const kind = KINDS[noun]!;

    it(`an order admitted before a ${noun} retired is refused afterwards and changes nothing`, async () => {
      const subject = await trader();
      const [one] = [await kind.add(books.sql, subject), await kind.add(books.sql, subject)];
      const item = await buy(subject.client);
      await kind.retire(books.sql, subject, one!);
      const before = await readBooks(books.sql);
      assertEquals(wordOf(await bookOrder(books.api, item)), "admission_changed");
      assertEquals(await readBooks(books.sql), before);
    });

    it(`retiring a ${noun} waits for an in-flight order to commit; a later order is refused`, async () => {
      const subject = await trader();
      const [one] = [await kind.add(books.sql, subject), await kind.add(books.sql, subject)];
      const [first, second] = [await buy(subject.client), await buy(subject.client)];
      const trading = await books.api.reserve();
      await trading`begin`;
      assertEquals(wordOf(await bookOrder(trading, first)), "answered 201");
      let ended = false;
      const ending = kind.retire(books.sql, subject, one!).then(() => ended = true);
      await untilWaiting(books.sql);
      assertEquals(ended, false);
      await trading`commit`;
      trading.release();
      await ending;
      assertEquals(wordOf(await bookOrder(books.api, second)), "admission_changed");
    });
  }
});
