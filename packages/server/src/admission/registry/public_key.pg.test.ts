import { newTestKey } from "../../../testing/partner.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { importVerifyingKey } from "@gold-partner/jws";
import { randomUUID } from "node:crypto";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { before, describe, it } from "node:test";
import { valueOf } from "../../../testing/rows.ts";

describe("public_key_fault", () => {
  const books = suiteBooks();
  let client: number;
  let good: { kty: string; crv: string; x: string; y: string };
  before(async () => {
    client = await books.createClient();
    const { x = "", y = "" } = (await newTestKey()).publicJwk;
    good = { kty: "EC", crv: "P-256", x, y };
  });

  const faultOf = (jwk: unknown) =>
    valueOf<string | null>(
      books.sql`select gold.public_key_fault(${JSON.stringify(jwk)}::text::jsonb) as fault`,
    );
  /** Spells the same 32 bytes differently: the last two of the 258 bits are not zero. */
  const respelled = (text: string) => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)!) + 1];
  };

  it("accepts the keys that the service accepts", async () => {
    for (let n = 0; n < 20; n++) {
      const { publicJwk } = await newTestKey();
      assertEquals(await faultOf(publicJwk), null, JSON.stringify(publicJwk));
    }
  });

  it("names a fault in every key that the service cannot read", async () => {
    const { x, y } = good;
    const malformed: [unknown, string][] = [
      [null, "object"],
      ["text", "object"],
      [[], "object"],
      [{}, "kty"],
      [{ ...good, kty: "RSA" }, "kty"],
      [{ ...good, crv: "P-384" }, "crv"],
      [{ kty: "EC", crv: "P-256", x }, "base64url"],
      [{ ...good, x: "x" }, "base64url"],
      [{ ...good, x: 1 }, "base64url"],
      [{ ...good, x: null }, "base64url"],
      [{ ...good, x: `${x}=` }, "base64url"],
      [{ ...good, x: `${x}\n` }, "base64url"],
      [{ ...good, y: respelled(y) }, "base64url"],
      [{ ...good, x: "+".repeat(42) + "A" }, "base64url"],
      [{ ...good, x: "A".repeat(43) }, "point"],
      [{ ...good, x: y, y: x }, "point"],
      [{ ...good, x: "_".repeat(42) + "8" }, "point"],
      [{ ...good, d: x }, "members"],
    ];
    for (const [jwk, fault] of malformed) {
      const text = JSON.stringify(jwk);
      const found = await faultOf(jwk);
      assert(found?.includes(fault), `${text}: ${found}`);
      assertEquals(
        await importVerifyingKey(jwk as never).then(() => "read", () => "refused"),
        "refused",
        text,
      );
    }
  });

  it("refuses a malformed key in every function and table that stores keys", async () => {
    const jwk = books.sql.json({ ...good, x: good.y });
    const [{ public_id: id }] = await books.sql`select public_id from gold.partner where id = ${client}` as [
      { public_id: string },
    ];
    const name = randomUUID();
    const stores = [
      () => books.sql`select gold.add_signing_key(${id}, ${name}, null, ${jwk}::jsonb)`,
      () =>
        books
          .sql`insert into gold.signing_key (partner_id, thumbprint, jwk) values (${client}, ${name}, ${jwk})`,
      () =>
        books
          .sql`select gold.create_partner('sbx_00000000000000000099', 'Bank', 'SA0380000000608010167519', 'https://localhost/', 50, 200,
          5000, '{127.0.0.1/32}', sha256(''), '\\x00', 'none', ${
          books.sql.json([{ thumbprint: name, jwk: { ...good, x: "x" } }])
        })`,
      () => books.sql`select gold.add_token_key(${name}, ${jwk}::jsonb, '\\x00', 'none', clock_timestamp())`,
      () => books.sql`select gold.rotate_token_key(${name}, ${jwk}::jsonb, '\\x00', 'none', 1, 1)`,
    ];
    for (const store of stores) {
      const error = await assertRejects(async () => void await store(), Error, "not the public JWK");
      assertEquals((error as { code?: string }).code, "GR409");
    }
    await books.sql`insert into gold.signing_key (partner_id, thumbprint, jwk) values (${client}, ${name}, ${
      books.sql.json(good)
    })`;
    await assertRejects(
      async () => void await books.sql`update gold.signing_key set jwk = ${jwk} where thumbprint = ${name}`,
      Error,
      "not the public JWK",
    );
  });
});
