import { addTestCertificate, newTestKey, type TestKey, type TestPartner } from "../../testing/partner.ts";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";
import { jwksReply } from "@gold-partner/protocol";
import { randomBytes } from "node:crypto";
import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { createSealing, hashSecret, readKeys } from "../mod.ts";

/** The service accepts old and new credentials during an overlap, and refuses the old ones after it. */
describe("rotation", () => {
  const service = suiteService();

  /** In seconds from now. null means no end. */
  type Period = readonly [beginsSeconds: number, endsSeconds: number | null];
  const ACTIVE: Period = [-60, null];
  const ENDED: Period = [-60, -1];
  const AHEAD: Period = [60, null];

  async function changed(change: PromiseLike<unknown>): Promise<void> {
    await change;
    await service.books.sql`update gold.registry_version set version = version + 1`;
    await service.refresh();
  }
  const instants = ([begins, ends]: Period) => {
    const { sql } = service.books;
    return sql`clock_timestamp() + make_interval(secs => ${begins}), clock_timestamp() + make_interval(secs => ${ends}::float8)`;
  };

  async function addSecret({ client }: TestPartner, period: Period): Promise<string> {
    const secret = randomBytes(32).toString("base64url");
    const [pepper] = await readKeys(service.config.pepperSource);
    await changed(service.books.sql`
      insert into gold.client_secret (partner_id, hash, not_before, retire_at) values (${client}, ${
      hashSecret(pepper!, secret)
    }, ${instants(period)})`);
    return secret;
  }
  const askToken = (partner: TestPartner, secret: string) =>
    service.send("/oauth/token", {
      partner,
      headers: { "Content-Type": "application/x-www-form-urlencoded", Authorization: null },
      body: `grant_type=client_credentials&client_id=${partner.clientId}&client_secret=${secret}`,
    });

  async function addSigningKey({ client }: TestPartner, period: Period, kid: string | null = null) {
    const key = await newTestKey(kid ?? undefined);
    const { sql } = service.books;
    await changed(sql`
      insert into gold.signing_key (partner_id, thumbprint, kid, jwk, not_before, retire_at)
      values (${client}, ${key.thumbprint}, ${kid}, ${sql.json({ ...key.publicJwk } as never)}, ${
      instants(period)
    })`);
    return key;
  }
  const order = (partner: TestPartner, key: TestKey) =>
    service.signed("/v1/orders", '{"quote_id":"qt_none"}', { partner, key });

  it("accepts every active certificate of a partner, each with the tokens that are bound to it", async () => {
    const partner = await service.addPartner();
    const renewed = { ...partner, fingerprint: randomBytes(32).toString("hex") };
    await changed(addTestCertificate(service.books.sql, partner.clientId, renewed.fingerprint));
    for (const each of [partner, renewed]) {
      assertEquals((await service.send("/v1/balances", { method: "GET", partner: each })).status, 200);
    }
    const Authorization = `Bearer ${await service.token(partner)}`;
    await expectProblem(
      service.send("/v1/balances", { method: "GET", partner: renewed, headers: { Authorization } }),
      "token_certificate_mismatch",
    );
    await changed(service.books.sql`select gold.revoke_certificate(${partner.fingerprint})`);
    await expectProblem(service.send("/v1/balances", { method: "GET", partner }), "certificate_revoked");
    assertEquals((await service.send("/v1/balances", { method: "GET", partner: renewed })).status, 200);
  });

  it("accepts a client secret only between its start and its end", async () => {
    const partner = await service.addPartner();
    const second = await addSecret(partner, ACTIVE);
    for (const secret of [partner.clientSecret, second]) {
      assertEquals((await askToken(partner, secret)).status, 200);
    }
    for (const period of [ENDED, AHEAD]) {
      assertEquals((await askToken(partner, await addSecret(partner, period))).status, 401);
    }
    await changed(service.books.sql`
      update gold.client_secret set retire_at = clock_timestamp() - interval '1 second' where partner_id = ${partner.client} and retire_at is null
        and hash = (select hash from gold.client_secret where partner_id = ${partner.client} order by id limit 1)`);
    assertEquals((await askToken(partner, partner.clientSecret)).status, 401);
    assertEquals((await askToken(partner, second)).status, 200);
  });

  it("accepts a signature by every active key, with or without a kid, and by no other key", async () => {
    const partner = await service.addPartner();
    const [plain, named] = [
      await addSigningKey(partner, ACTIVE),
      await addSigningKey(partner, ACTIVE, "hsm-2"),
    ];
    for (const key of [partner.signingKey, plain, named]) {
      await expectProblem(order(partner, key), "not_found");
    }
    for (const period of [ENDED, AHEAD]) {
      await expectProblem(order(partner, await addSigningKey(partner, period)), "signature_invalid");
      await expectProblem(
        order(partner, await addSigningKey(partner, period, `old${period[0]}`)),
        "signature_invalid",
      );
    }
    const stranger = await service.addPartner();
    await expectProblem(order(partner, stranger.signingKey), "signature_invalid");
  });

  // Several rounds, because some of them have no registry poll. A poll during a round also reads the change,
  // so that this round would pass without the reread under test.
  const ROUNDS = 4;

  it("accepts a client secret added a moment ago, and rejects the secret that it replaced", async () => {
    const partner = await service.addPartner();
    const [pepper] = await readKeys(service.config.pepperSource);
    let last = partner.clientSecret;
    for (let round = 0; round < ROUNDS; round++) {
      const secret = randomBytes(32).toString("base64url");
      await service.books
        .sql`select gold.rotate_client_secret(${partner.clientId}, ${hashSecret(pepper!, secret)}, 0)`;
      assertEquals((await askToken(partner, secret)).status, 200);
      // The old secret is refused, because the service read the database to find the new one.
      assertEquals((await askToken(partner, last)).status, 401);
      last = secret;
    }
  });

  it("accepts a signature by a key added a moment ago, with or without a kid, and in probes", async () => {
    const { sql } = service.books;
    const add = async ({ clientId }: TestPartner, kid: string | null) => {
      const key = await newTestKey(kid ?? undefined);
      await sql`select gold.add_signing_key(${clientId}, ${key.thumbprint}, ${kid}, ${
        sql.json({ ...key.publicJwk } as never)
      })`;
      return key;
    };
    const probe = async (partner: TestPartner, key: TestKey) => {
      const reply = await service.signed("/v1/signed-probe", "any", { partner, key });
      return ((await reply.json()) as { valid: boolean }).valid;
    };
    for (const partner of [await service.addPartner(), await service.addPartner()]) {
      await service.token(partner);
      await expectProblem(order(partner, await add(partner, null)), "not_found");
      await expectProblem(order(partner, await add(partner, "hsm-1")), "not_found");
      assertEquals(await probe(partner, await add(partner, null)), true);
      assertEquals(await probe(partner, await add(partner, "hsm-2")), true);
    }
  });

  it("does not execute an order whose signing key retired between admission and booking", async () => {
    const { sql } = service.books;
    const partner = await service.addPartner();
    for (let round = 0; round < ROUNDS; round++) {
      const second = await addSigningKey(partner, ACTIVE);
      await expectProblem(order(partner, second), "not_found");
      // Make a change that the service has not read yet. At booking, the database reports that the admission
      // changed.
      await sql`select gold.retire_signing_key(${partner.clientId}, ${second.thumbprint}, 'infinity')`;
      await expectProblem(order(partner, second), "signature_invalid");
      await expectProblem(order(partner, partner.signingKey), "not_found");
    }
  });

  it("rejects a certificate that was revoked while the service reread the registry for a key", async () => {
    const { sql } = service.books;
    for (let round = 0; round < ROUNDS; round++) {
      const partner = await service.addPartner();
      await service.token(partner);
      const key = await newTestKey();
      await sql.begin(async (transaction) => {
        await transaction`select gold.add_signing_key(${partner.clientId}, ${key.thumbprint}, null, ${
          sql.json({ ...key.publicJwk } as never)
        })`;
        await transaction`select gold.revoke_certificate(${partner.fingerprint})`;
      });
      await expectProblem(order(partner, key), "certificate_revoked");
    }
  });

  it("publishes a token key before use, and accepts tokens of the older key until it retires", async () => {
    const { sql } = service.books;
    const [sealingKey] = await readKeys(service.config.sealingKeySource);
    const sealing = await createSealing([sealingKey!]);
    const published = async () => {
      const reply = await service.send("/.well-known/jwks.json", { method: "GET" });
      return jwksReply.strict().parse(await reply.json()).keys.map(({ kid }) => kid);
    };
    const issued = async () => {
      const reply = await askToken(service.partner, service.partner.clientSecret);
      return (await reply.json() as { access_token: string }).access_token;
    };
    const kidOf = (token: string) => JSON.parse(atob(token.split(".")[0]!)).kid as string;
    const call = (token: string) =>
      service.send("/v1/balances", { method: "GET", headers: { Authorization: `Bearer ${token}` } });

    const oldKid = kidOf(await issued());
    const { thumbprint, publicJwk, privateJwk } = await newTestKey();
    await sql`
      select gold.add_token_key(${thumbprint}, ${sql.json({ ...publicJwk } as never)}::jsonb,
        ${await sealing.seal(
      JSON.stringify(privateJwk),
    )}::bytea, ${sealing.currentKeyName}, clock_timestamp() + interval '1 hour')`;
    await service.refresh();
    assertEquals((await published()).sort(), [oldKid, thumbprint].sort());
    const before = await issued();
    assertEquals(kidOf(before), oldKid);

    await changed(
      sql`update gold.token_key set not_before = clock_timestamp() - interval '1 second' where kid = ${thumbprint}`,
    );
    const afterwards = await issued();
    assertEquals(kidOf(afterwards), thumbprint);
    assertEquals([(await call(before)).status, (await call(afterwards)).status], [200, 200]);

    await changed(
      sql`update gold.token_key set retire_at = clock_timestamp() - interval '1 second' where kid = ${oldKid}`,
    );
    await expectProblem(call(before), "token_invalid");
    assertEquals((await call(afterwards)).status, 200);
    assertEquals(await published(), [thumbprint]);
  });
});
