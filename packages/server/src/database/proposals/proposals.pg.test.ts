import { Buffer } from "node:buffer";
import { createHash, randomUUID, X509Certificate } from "node:crypto";
import { before, describe, it } from "node:test";
import makeApproval from "../../../../../vectors/make/approval.ts";
import { canonicalJson } from "@gold-partner/canonical";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertStartsWith } from "../../../testing/assert_starts_with.ts";
import type { Sql } from "postgres";
import {
  hireOperator,
  publicIdOf,
  suiteOperators,
  type TestOperator,
  verdictOf,
} from "../../booking/operator_fixture.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { createTestAuthority } from "../../../testing/certificates.ts";
import { newTestKey } from "../../../testing/partner.ts";

const NEEDS = "GR409 this change needs two people: one proposes it with gold, and another login approves it";
const OWN = "GR409 you proposed this change, so another login has to approve it";
const PRICE = {
  source: "fixed",
  mid: "200",
  spread_basis_points: 60,
  stale_after_seconds: 10,
  url: null,
};

interface Proposed {
  readonly id: string;
  readonly sha256: string;
}

describe("proposals under two people", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  let publicId: string;
  let client: number;
  before(async () => {
    client = await books.createClient({ halalas: 1_000_000n });
    publicId = await publicIdOf(books, client);
    await books.sql`select gold.require_two_people()`;
  });

  async function propose(
    { sql }: { readonly sql: Sql },
    kind: string,
    content: object,
    { secrets = null, lifetime = "3 days" }: { secrets?: Uint8Array | null; lifetime?: string } = {},
  ): Promise<Proposed> {
    const [row] = await sql`
      select id, sha256 from gold.propose(${kind}, ${sql.json(content as never)}::jsonb, ${secrets}::bytea,
        ${secrets && "none"}, ${lifetime}::text::interval)`;
    return row as unknown as Proposed;
  }
  const approve = ({ sql }: TestOperator, { id, sha256 }: Proposed) =>
    verdictOf(sql`select gold.approve_proposal(${id}::uuid, ${sha256})`);
  const reject = ({ sql }: TestOperator, { id }: Proposed) =>
    verdictOf(sql`select gold.reject_proposal(${id}::uuid)`);
  const take = ({ sql }: TestOperator, { id }: Proposed) =>
    verdictOf(sql`select gold.take_secrets(${id}::uuid)`);

  async function newKeyContent() {
    const { thumbprint, publicJwk: jwk } = await newTestKey();
    return { client_id: publicId, thumbprint, kid: null, jwk };
  }
  const isRegistered = async (thumbprint: string) =>
    (await books.sql`select from gold.signing_key where thumbprint = ${thumbprint}`).length === 1;

  it("make their change once, when another login approves them", async () => {
    const content = await newKeyContent();
    const proposal = await propose(maker, "signing_key.add", content);
    assertEquals(await isRegistered(content.thumbprint), false);
    assertEquals(await approve(maker, proposal), OWN);
    assertEquals(await approve(checker, proposal), "done");
    assertEquals(await isRegistered(content.thumbprint), true);
    assertStartsWith(
      await approve(checker, proposal),
      `GR409 the proposal was approved already, by ${checker.login} at `,
    );
    const [event] = await books.sql`
      select login, approved_by from gold.partner_change where client_id = ${client} and credential = ${content.thumbprint}`;
    assertEquals({ ...event }, { login: maker.login, approved_by: checker.login });
    const notes = await books.sql`
      select action, login, detail->>'proposal' as proposal, detail->>'mode' as mode from gold.audit order by id desc limit 3`;
    assertEquals(notes.map((row) => ({ ...row })), [
      { action: "proposal.approve", login: checker.login, proposal: proposal.id, mode: null },
      { action: "signing_key.add", login: checker.login, proposal: proposal.id, mode: null },
      { action: "proposal.propose", login: maker.login, proposal: null, mode: "two_people" },
    ]);
  });

  it("cannot be approved by their proposer, even by the owner of the tables", async () => {
    const { id } = await propose(maker, "price.set", PRICE);
    const changes = [
      `update gold.proposal set state = 'applying', decided_by = proposer, decided_at = now() where id = '${id}'`,
      `insert into gold.proposal (id, kind, content, proposer, proposed_at, expires_at, state, decided_by, decided_at)
       values (gen_random_uuid(), 'market.open', '{}', 'one', now(), now(), 'approved', 'one', now())`,
    ];
    for (const change of changes) {
      const verdict = await verdictOf(books.sql.begin(async (sql) => {
        await sql`set local role gold_owner`;
        await sql.unsafe(change);
      }));
      assert(verdict.startsWith("23514 ") && verdict.includes("proposal_two"), verdict);
    }
  });

  it("can be made by the migration login, which cannot approve any without the role of their kind", async () => {
    const migration = await hireOperator(books);
    try {
      await books.sql.unsafe(
        `revoke gold_operator from ${migration.login}; grant gold_owner, gold_book to ${migration.login}`,
      );
      await reject(maker, await propose(migration, "price.set", PRICE));
      assertEquals(
        await approve(migration, await propose(maker, "price.set", PRICE)),
        `GR403 a change of the kind price.set needs the role pricing, which the login ${migration.login} does not have`,
      );
    } finally {
      await migration.leave();
    }
  });

  it("never change", async () => {
    const { id } = await propose(maker, "price.set", PRICE);
    const changes = [
      "kind = 'market.open'",
      "content = content || '{\"mid\": 1}'",
      "proposer = 'another'",
      "expires_at = expires_at + interval '1 day'",
      "state = 'approved', decided_by = 'another', decided_at = now()",
      "secrets = '\\x01', sealing_key = 'none'",
    ];
    for (const change of changes) {
      assertEquals(
        await verdictOf(books.sql.unsafe(`update gold.proposal set ${change} where id = '${id}'`)),
        "GB002 a proposal is decided once, and its content never changes",
        change,
      );
    }
    for (const statement of ["delete from gold.proposal", "truncate gold.proposal"]) {
      const verdict = await verdictOf(books.sql.unsafe(statement));
      assertEquals(verdict, "GB002 proposal is append-only: write a new row that corrects the old one");
    }
  });

  it("are refused with a member that their kind does not have, also inside an object", async () => {
    const cases = [
      ["price.set", { ...PRICE, note: "x" }, "a proposal of the kind price.set has no member note"],
      ["market.open", { mid: "1" }, "a proposal of the kind market.open has no member mid"],
      [
        "partner.set",
        { client_id: publicId, iban: "SA0380000000608010167519" },
        "a proposal of the kind partner.set has no member iban",
      ],
      [
        "partner.set",
        { client_id: publicId, limits: { open_quotes: 1, all: null } },
        "a proposal of the kind partner.set has no member limits.all",
      ],
      [
        "market.set",
        { band: { basis_points: 1 } },
        "a proposal of the kind market.set has no member band.basis_points",
      ],
      ["market.close", {}, "there is no kind of proposal market.close"],
      ["market.open", [], "the content of a proposal must be an object"],
    ] as const;
    for (const [kind, content, refusal] of cases) {
      assertEquals(await verdictOf(propose(maker, kind, content)), `GR409 ${refusal}`);
    }
  });

  it("name a key by its own thumbprint, because people compare only the thumbprint", async () => {
    const { thumbprint } = await newTestKey();
    const content = await newKeyContent();
    const refusal = `GR409 the thumbprint of the key is ${content.thumbprint}, not ${thumbprint}`;
    const { publicJwk: public_jwk } = await newTestKey();
    const partner = { client_id: "sbx_two_keys", name: "Bank", keys: [content, { ...content, thumbprint }] };
    assertEquals(await verdictOf(propose(maker, "signing_key.add", { ...content, thumbprint })), refusal);
    assertEquals(await verdictOf(propose(maker, "partner.create", partner)), refusal);
    assertStartsWith(
      await verdictOf(propose(maker, "token_key.rotate", { kid: thumbprint, public_jwk })),
      "GR409 the thumbprint of the key is ",
    );
  });

  it("name an authority by the SHA-256 of the only certificate in their text", async () => {
    const [certificate, other] = [createTestAuthority().ca, createTestAuthority().ca];
    const der = new X509Certificate(certificate).raw;
    const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    const add = (certificate: string | null, fingerprint: string) =>
      verdictOf(propose(maker, "authority.add", {
        ...{ first: true, fingerprint, certificate, revocation_list: "LIST" },
        revocation_next_at: "2036-01-01T00:00:00.000Z",
      }));
    assertEquals(
      await add(other, hashOf(der)),
      `GR409 the fingerprint of the certificate is ${hashOf(new X509Certificate(other).raw)}, not ${
        hashOf(der)
      }`,
    );
    const longer = Buffer.concat([der, Buffer.alloc(3)]);
    const pem = (bytes: Buffer) =>
      `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`;
    const cases = [
      ["PEM", Buffer.from("PEM")],
      [null, der],
      [`${certificate.trimEnd()}\n${other}`, der],
      [`${certificate.trimEnd()} ${other}`, der],
      [pem(longer), longer],
      [pem(der).replace("\nM", "\nM="), der],
    ] as const;
    for (const [text, bytes] of cases) {
      assertEquals(
        await add(text, hashOf(bytes)),
        "GR409 the certificate must be exactly one certificate as PEM",
      );
    }
    assertEquals(await add(certificate, hashOf(der)), "done");
    assertEquals(await add(pem(der), hashOf(der)), "done");
  });

  it("are refused if they would change nothing", async () => {
    const cases = [
      ["partner.set", {}, "name, ips, webhook_url, rate_per_second, burst, maximum_grams, limits"],
      ["partner.set", { client_id: publicId }, "name, ips, webhook_url"],
      ["partner.set", { client_id: publicId, limits: {}, name: null }, "name, ips, webhook_url"],
      ["price.set", {}, "source, mid, spread_basis_points, stale_after_seconds, url, hours"],
      ["market.set", {}, "breaker, band, exposure"],
      ["deployment.defaults", {}, "rate_per_second, burst, limits"],
      ["deployment.defaults", { limits: {} }, "rate_per_second, burst, limits"],
    ] as const;
    for (const [kind, content, members] of cases) {
      const verdict = await verdictOf(propose(maker, kind, content));
      const expected =
        `GR409 the proposal would change nothing: a proposal of the kind ${kind} needs at least one of ${members}`;
      assert(verdict.startsWith(expected), verdict);
    }
    assertEquals(await verdictOf(propose(maker, "market.set", { exposure: null })), "done");
  });

  it("are refused with only a part of a price or of the default rate", async () => {
    const hours = { always_open: true, sessions: [] };
    const cases = [["price.set", { mid: "100", hours }], ["deployment.defaults", { burst: 1 }]] as const;
    for (const [kind, content] of cases) {
      assertStartsWith(await verdictOf(propose(maker, kind, content)), "23502 null value in column");
    }
  });

  it("are refused if their proposer has lost the role of their kind, or was removed", async () => {
    const person = await hireOperator(books);
    const proposal = await propose(person, "price.set", PRICE);
    const refusal =
      `GR403 a change of the kind price.set needs the role pricing, which the login ${person.login} does not have`;
    await books.sql.unsafe(`revoke gold_operator from ${person.login}; grant gold_keys to ${person.login}`);
    assertEquals(await approve(checker, proposal), refusal);
    await person.leave();
    assertEquals(await approve(checker, proposal), refusal);
    assertEquals(await reject(checker, proposal), "done");
  });

  it("cannot be named in the audit row of a limit that one person lowers", async () => {
    const forged = verdictOf(
      maker.sql`select gold.limit_partner(${publicId}, '{"open_quotes": 5, "proposal": "x"}')`,
    );
    assertEquals(await forged, "GR409 there is no limit proposal");
  });

  it("are approved only with the hash of the text that was shown", async () => {
    const shown = await propose(maker, "price.set", PRICE);
    const changed = await propose(maker, "price.set", { ...PRICE, mid: "100" });
    assertStartsWith(
      await approve(checker, { id: changed.id, sha256: shown.sha256 }),
      `GR409 the hash ${shown.sha256} is not the hash of the proposal`,
    );
    const sha256 = null as unknown as string;
    assert(
      (await approve(checker, { id: changed.id, sha256 })).startsWith("GR409 the hash"),
      "null does not count as the hash",
    );
    assertStartsWith(await approve(checker, { ...shown, id: randomUUID() }), "GR404 there is no proposal ");
  });

  it("expire", async () => {
    const proposal = await propose(maker, "price.set", PRICE, { lifetime: "1 millisecond" });
    await books.sql`select pg_sleep(0.01)`;
    assertStartsWith(await approve(checker, proposal), "GR409 the proposal expired at ");
    const refusal = (lifetime: string) => verdictOf(propose(maker, "price.set", PRICE, { lifetime }));
    assertEquals(await refusal("8 days"), "GR409 a proposal expires after at most 7 days");
    for (const lifetime of ["0", "-1 day"]) {
      assertStringIncludes(await refusal(lifetime), "GR409 the change could be made only until ");
    }
  });

  it("expire after 15 minutes if they set a price, and after the given time if they set market hours", async () => {
    const minutesOf = async (content: object, lifetime: string) => {
      const { id } = await propose(maker, "price.set", content, { lifetime });
      const [row] = await books.sql`
        select extract(epoch from expires_at - proposed_at)::int / 60 as minutes from gold.proposal where id = ${id}`;
      return row!.minutes;
    };
    const hours = { hours: { always_open: true, sessions: [] } };
    assertEquals(await minutesOf(PRICE, "7 days"), 15);
    assertEquals(await minutesOf({ ...PRICE, ...hours }, "3 days"), 15);
    assertEquals(await minutesOf(PRICE, "5 minutes"), 5);
    assertEquals(await minutesOf(hours, "3 days"), 3 * 24 * 60);
  });

  it("can be rejected by any operator, and then never approved", async () => {
    for (const person of [maker, checker]) {
      const proposal = await propose(maker, "price.set", PRICE, { secrets: new Uint8Array(1) });
      assertEquals(await reject(person, proposal), "done");
      assertStartsWith(
        await approve(checker, proposal),
        `GR409 the proposal was rejected already, by ${person.login}`,
      );
      const [row] = await books.sql`select secrets from gold.proposal where id = ${proposal.id}`;
      assertEquals(row!.secrets, null);
    }
  });

  it("give their secrets once, only to the proposer and only after the approval", async () => {
    const content = { client_id: publicId, hash: "01".repeat(32), overlap_seconds: 3600 };
    const proposal = await propose(maker, "client_secret.rotate", content, { secrets: new Uint8Array([7]) });
    assertEquals(
      await take(maker, proposal),
      "GR409 the proposal is pending: its secrets are shown after its approval",
    );
    assertEquals(await approve(checker, proposal), "done");
    assertEquals(
      await take(checker, proposal),
      `GR409 only ${maker.login} may read the secrets of this proposal`,
    );
    const [row] = await maker.sql`select * from gold.take_secrets(${proposal.id}::uuid)`;
    assertEquals([...row!.secrets, row!.sealing_key], [7, "none"]);
    assertEquals(
      await take(maker, proposal),
      "GR409 the secrets were shown already: if they are lost, rotate them",
    );
    const none = await propose(maker, "signing_key.add", await newKeyContent());
    assertEquals(await approve(checker, none), "done");
    assertEquals(await take(maker, none), "GR409 the proposal has no secrets");
    const [overview] = await maker.sql`select * from gold.proposal_overview where id = ${proposal.id}`;
    assertEquals("secrets" in overview!, false);
  });

  it("are refused at once if their change cannot be made, and leave no trace", async () => {
    const count = async () =>
      (await books
        .sql`select count(*)::int as n, (select version from gold.registry_version) as version from gold.audit`)
        .map((row) => ({ ...row }));
    const before = await count();
    const refusals = [
      [maker, "market.open", {}, "GR409 the circuit breaker has not closed the market"],
      [maker, "partner.resume", { client_id: "sbx_x" }, "GR404 there is no partner sbx_x"],
      [maker, "price.steal", {}, "GR409 there is no kind of proposal price.steal"],
      [maker, "partner.resume", { client_id: publicId, note: 0.5 }, "GR404|GR409"],
    ] as const;
    for (const [person, kind, content, expected] of refusals) {
      const verdict = await verdictOf(propose(person, kind, content));
      assert(expected.split("|").some((start) => verdict.startsWith(start)), `${kind}: ${verdict}`);
    }
    assertEquals(await count(), before);
    const proposal = await propose(maker, "price.set", PRICE);
    const [price] = await books.sql`select mid from gold.price`;
    assertEquals(price!.mid, "3200000", "proposing changes nothing");
    assertEquals(await reject(maker, proposal), "done");
  });

  it("have the texts of the vectors, in both versions", async () => {
    for (const { name, content, proposal_text, sha256, ...row } of makeApproval().cases) {
      const given = { ...row, content: JSON.parse(content as string) };
      const [made] = await books.sql`
        select gold.proposal_text(p) as text, gold.proposal_sha256(p) as sha256
        from jsonb_populate_record(null::gold.proposal, ${books.sql.json(given as never)}::jsonb) p`;
      assertEquals({ ...made }, { text: proposal_text, sha256 }, `${name}`);
    }
  });

  it("have a canonical text of eight lines that any language can build", async () => {
    const content = { ...await newKeyContent(), kid: 'Schlüssel "1"\\مفتاح' };
    const { id, sha256 } = await propose(maker, "signing_key.add", content);
    const [row] = await maker.sql`select * from gold.proposal_overview where id = ${id}`;
    const lines = [
      "gold proposal 2",
      row!.deployment,
      id,
      "signing_key.add",
      maker.login,
      row!.proposed_at.toISOString(),
      row!.expires_at.toISOString(),
      canonicalJson(content as never),
    ];
    assertEquals(row!.canonical_text, lines.map((line) => `${line}\n`).join(""));
    assertEquals(createHash("sha256").update(row!.canonical_text).digest("hex"), sha256);
    assertEquals(row!.sha256, sha256);
    const cases = [
      ['{"b":[1,{"z":null,"a":true}],"a":"\\u001f\\n\\u007f/"}', undefined],
      [
        '{"a":1.5}',
        "GR409 a number in the content of a proposal must be a whole number of at most 15 digits; got 1.5",
      ],
      [
        '{"a b":1}',
        "GR409 the names of members in the content of a proposal may have only letters, digits and _",
      ],
    ] as const;
    for (const [json, expected] of cases) {
      const text = books.sql`select gold.canonical_json(${json}::text::jsonb) as text`;
      if (expected) assertEquals(await verdictOf(text), expected);
      else assertEquals((await text)[0]!.text, canonicalJson(JSON.parse(json)));
    }
  });

  it("let no login alone make a change that needs approval, even with a proposal of the same kind", async () => {
    const content = await newKeyContent();
    const other = await newKeyContent();
    const addKey = ({ thumbprint, jwk }: typeof content) =>
      verdictOf(
        maker.sql`select gold.add_signing_key(${publicId}, ${thumbprint}, null, ${
          maker.sql.json(jwk as never)
        }::jsonb)`,
      );
    assertEquals(await addKey(content), NEEDS);
    const proposal = await propose(maker, "signing_key.add", content);
    assertEquals(await addKey(content), NEEDS);
    // The approval covers its own content only, and nothing after it in its transaction.
    const after = await verdictOf(checker.sql.begin(async (sql) => {
      await sql`select gold.approve_proposal(${proposal.id}::uuid, ${proposal.sha256})`;
      await sql`select gold.add_signing_key(${publicId}, ${other.thumbprint}, null, ${
        sql.json(other.jwk as never)
      }::jsonb)`;
    }));
    assertEquals(after, NEEDS);
    const applying = await verdictOf(books.sql.begin(async (sql) => {
      await sql`update gold.proposal set state = 'applying' where id = ${proposal.id}`;
      await sql`select gold.add_signing_key(${publicId}, ${other.thumbprint}, null, ${
        sql.json(other.jwk as never)
      }::jsonb)`;
    }));
    assertEquals(applying, NEEDS);
  });
});
