import { suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { publicIdOf, verdictOf } from "../../booking/operator_fixture.ts";

/** The fields that set_partner can change. A missing field stays unchanged. */
interface Terms {
  readonly name?: string;
  readonly ips?: readonly string[];
  readonly webhook?: string;
  readonly rate?: number;
  readonly burst?: number;
  readonly maximum?: string;
}

describe("set_partner", () => {
  const books = suiteBooks();

  const set = (publicId: string, { name, ips, webhook, rate, burst, maximum }: Terms): Promise<string> =>
    verdictOf(books.sql`
      select gold.set_partner(${publicId}, ${name ?? null}::text, ${
      ips ? `{${ips.join()}}` : null
    }::text::cidr[], ${webhook ?? null}, ${rate ?? null}::int,
        ${burst ?? null}::int, ${maximum ?? null}::text::bigint)`);
  async function stateOf(publicId: string): Promise<Record<string, unknown>> {
    const [row] = await books.sql`
      select name, (select r.url from gold.receiver r where r.id = p.id) as webhook_url,
        rate_per_second, burst, maximum_grams, iban, a.admission_version, v.version,
        (select array_agg(range::text order by range) from gold.allowed_ip where partner_id = p.id) as ips
      from gold.partner p join gold.account a on a.client_id = p.id, gold.registry_version v where public_id = ${publicId}`;
    return { ...row };
  }

  it("changes only the given fields, and raises the admission version and the registry version", async () => {
    const publicId = await publicIdOf(books, await books.createClient());
    const before = await stateOf(publicId);
    const cases: [Terms, Record<string, unknown>][] = [
      [{ name: "Another Bank" }, { name: "Another Bank" }],
      [{ ips: ["10.0.0.0/8", "::1/128", "10.0.0.0/8"] }, { ips: ["10.0.0.0/8", "::1/128"] }],
      [{ webhook: "https://example.com/" }, { webhook_url: "https://example.com/" }],
      [{ rate: 7, burst: 9 }, { rate_per_second: 7, burst: 9 }],
      [{ maximum: "5" }, { maximum_grams: "5" }],
      [{}, {}],
    ];
    let expected = before;
    for (const [terms, changed] of cases) {
      assertEquals(await set(publicId, terms), "done");
      expected = {
        ...expected,
        ...changed,
        admission_version: `${BigInt(expected["admission_version"] as string) + 1n}`,
        version: `${BigInt(expected["version"] as string) + 1n}`,
      };
      assertEquals(await stateOf(publicId), expected);
    }
    const notes = await books
      .sql`select detail - 'mode' as detail from gold.audit where subject = ${publicId} and action = 'partner.set' order by id`;
    assertEquals(notes.map(({ detail }) => Object.keys(detail).sort().join()), [
      "name",
      "ips",
      "webhook_url",
      "burst,rate_per_second",
      "maximum_grams",
      "",
    ]);
  });

  it("refuses an empty list of addresses", async () => {
    const publicId = await publicIdOf(books, await books.createClient());
    const before = await stateOf(publicId);
    assertMatch(
      await set(publicId, { ips: [] }),
      /^GR409 a partner needs at least one registered address/,
    );
    assertEquals(await stateOf(publicId), before);
  });

  it("refuses a rate above a quarter of the proxy's limit, for existing and new partners", async () => {
    const publicId = await publicIdOf(books, await books.createClient());
    assertEquals(await set(publicId, { rate: 5_000 }), "done");
    const before = await stateOf(publicId);
    const refusal =
      "GR409 the rate 5001/s is more than a quarter of the proxy's limit of 20000/s for one certificate: " +
      "set at most 5000/s";
    assertEquals(await set(publicId, { rate: 5_001 }), refusal);
    assertEquals(await stateOf(publicId), before);
    const created = verdictOf(books.sql`
      select gold.create_partner('sbx_00000000000000000009', 'New', '', null, 5001, 1, 1, '{}', sha256(''), '\\x00', '', '[]')`);
    assertEquals(await created, refusal);
    assertEquals(
      (await books.sql`select from gold.partner where public_id = 'sbx_00000000000000000009'`).length,
      0,
    );
  });

  it("refuses a rate, burst or largest order that violates a constraint of the table", async () => {
    const publicId = await publicIdOf(books, await books.createClient());
    const before = await stateOf(publicId);
    const cases: [Terms, constraint: string][] = [
      [{ rate: 0 }, "partner_rate"],
      [{ burst: 0 }, "partner_rate"],
      [{ rate: -1, burst: -1 }, "partner_rate"],
      [{ maximum: "0" }, "partner_maximum_grams"],
      [{ maximum: "1000000001" }, "partner_maximum_grams"],
    ];
    for (const [terms, constraint] of cases) {
      assertMatch(await set(publicId, terms), new RegExp(`^23514 .* "${constraint}"$`));
    }
    assertEquals(await stateOf(publicId), before);
    for (const maximum of ["1", "1000000000"]) assertEquals(await set(publicId, { maximum }), "done");
  });

  it("refuses an unknown partner, and names it", async () => {
    assertMatch(await set("sbx_none", {}), /^GR404 there is no partner sbx_none$/);
  });
});
