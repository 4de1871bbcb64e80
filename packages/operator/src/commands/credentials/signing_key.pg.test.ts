import { after, before, describe, it } from "node:test";
import { expectProblem, newTestKey, type TestKey, type TestPartner } from "@gold-partner/server/testing";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { runGold } from "../../gold_fixture.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import { writePem } from "../../pki/pem.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold signing-key", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const order = (partner: TestPartner, key: TestKey) =>
    operator.service.signed("/v1/orders", '{"quote_id":"qt_none"}', { partner, key });
  let files = 0;
  const writeJwk = (jwk: object) => operator.write(`key_${files++}.jwk`, JSON.stringify(jwk));
  async function added(partner: TestPartner, kid?: string): Promise<TestKey> {
    const key = await newTestKey(kid);
    const file = await writeJwk({ ...key.publicJwk, ...(kid === undefined ? {} : { kid }) });
    await operator.done("signing-key", "add", partner.clientId, file);
    return key;
  }

  it("add registers a JWK or a PEM key, which works at once beside the older keys", async () => {
    const partner = await operator.service.addPartner();
    const named = await added(partner, "hsm-1");
    for (const key of [named, partner.signingKey]) {
      await expectProblem(await order(partner, key), "not_found");
    }
    const { publicKeySpki } = await generateKeyPair();
    const pem = await operator.write("public.pem", writePem("PUBLIC KEY", publicKeySpki));
    const { thumbprint, kid } = await operator.done("signing-key", "add", partner.clientId, pem);
    assertEquals(kid, thumbprint);
    const listed = itemsOf(await operator.done("signing-key", "list", partner.clientId));
    assertEquals(Object.keys(listed[0]!), [
      "thumbprint",
      "kid",
      "status",
      "not_before",
      "retire_at",
      "last_used_at",
    ]);
    assertEquals(listed.map(({ thumbprint, kid, status }) => [thumbprint, kid, status]), [
      [partner.signingKey.thumbprint, partner.signingKey.thumbprint, "active"],
      [named.thumbprint, "hsm-1", "active"],
      [thumbprint, thumbprint, "active"],
    ]);
    const [note] = await operator.service.books.sql`
      select login, action, detail->>'thumbprint' as key from gold.audit where subject = ${partner.clientId} order by id desc limit 1`;
    assertEquals({ ...note }, { login: operator.login, action: "signing_key.add", key: thumbprint });
  });

  it("add rejects a private key, a key not on P-256, and an invalid kid", async () => {
    const { clientId } = await operator.service.addPartner();
    const { privateJwk, publicJwk } = await newTestKey();
    const add = (file: string) => operator.gold("signing-key", "add", clientId, file);
    refused(await add(await writeJwk(privateJwk)), 1, "contains a private key. Never send it to anyone");
    refused(await add(await writeJwk({ ...publicJwk, crv: "P-384" })), 1, "");
    refused(await add(await operator.write("no.pem", "no key")), 1, "");
    refused(await add(operator.path("missing.pem")), 2, "missing.pem");
    for (const kid of [1, "", "two words", "schlüssel", "k".repeat(500), null, {}]) {
      refused(await add(await writeJwk({ ...publicJwk, kid })), 2, "kid");
    }
    assertEquals(itemsOf(await operator.done("signing-key", "list", clientId)).length, 1);
  });

  it("add rejects a key that is already registered for this or another partner", async () => {
    const [partner, other] = [await operator.service.addPartner(), await operator.service.addPartner()];
    const file = await writeJwk(partner.signingKey.publicJwk);
    refused(await operator.gold("signing-key", "add", partner.clientId, file), 1, "registered already");
    const foreign = await operator.gold("signing-key", "add", other.clientId, file);
    refused(foreign, 1, `registered for ${partner.clientId}`);
  });

  it("retire ends a key at once, by kid or thumbprint, and refuses the last key", async () => {
    const partner = await operator.service.addPartner();
    const [named, plain] = [await added(partner, "hsm-1"), await added(partner)];
    const ended = await operator.done("signing-key", "retire", partner.clientId, "hsm-1");
    assertEquals([ended.thumbprint, ended.kid, ended.status], [named.thumbprint, "hsm-1", "retired"]);
    await expectProblem(await order(partner, named), "signature_invalid");
    await operator.done("signing-key", "retire", partner.clientId, plain.thumbprint);
    await expectProblem(await order(partner, plain), "signature_invalid");
    const { thumbprint } = partner.signingKey;
    refused(
      await operator.gold("signing-key", "retire", partner.clientId, thumbprint, "--yes"),
      1,
      "suspend the partner",
    );
    await expectProblem(await order(partner, partner.signingKey), "not_found");
    refused(
      await operator.gold("signing-key", "retire", partner.clientId, "none", "--yes"),
      1,
      "no signing key none",
    );
  });

  it("retire asks, shows when the key was last used, and needs --yes without a terminal", async () => {
    const partner = await operator.service.addPartner();
    const key = await added(partner, "hsm-1");
    const usedAt = new Date(Date.now() - 60_000);
    await operator.service.books
      .sql`update gold.signing_key set last_used_at = ${usedAt} where thumbprint = ${key.thumbprint}`;
    const argv = ["signing-key", "retire", partner.clientId, "hsm-1"];
    refused(await operator.gold(...argv), 2, "with --yes");
    const declined = await runGold(argv, { env: operator.env, yes: false });
    refused(declined, 1, "Nothing was done");
    assertStringIncludes(
      declined.questions[0]!,
      `last used at ${usedAt.toISOString()}. That is less than an hour ago`,
    );
    await expectProblem(await order(partner, key), "not_found");
  });

  it("retire accepts a thumbprint that begins with one or two dashes", async () => {
    const { clientId, client } = await operator.service.addPartner();
    const { sql } = operator.service.books;
    for (const thumbprint of ["-".padEnd(43, "a"), "--".padEnd(43, "b")]) {
      const { publicJwk } = await newTestKey();
      await sql`insert into gold.signing_key (partner_id, thumbprint, jwk) values (${client}, ${thumbprint}, ${
        sql.json({ ...publicJwk } as never)
      })`;
      const ended = await operator.done("signing-key", "retire", clientId, thumbprint);
      assertEquals(ended.thumbprint, thumbprint);
    }
  });

  it("retire requires the thumbprint if several keys have the same kid", async () => {
    const { clientId, client, signingKey } = await operator.service.addPartner({ kid: "twin" });
    const { publicJwk, thumbprint } = await newTestKey();
    const { sql } = operator.service.books;
    await sql`insert into gold.signing_key (partner_id, thumbprint, kid, jwk) values (${client}, ${thumbprint}, 'twin', ${
      sql.json({ ...publicJwk } as never)
    })`;
    refused(await operator.gold("signing-key", "retire", clientId, "twin", "--yes"), 1, "by its thumbprint");
    await operator.done("signing-key", "retire", clientId, signingKey.thumbprint);
  });
});
