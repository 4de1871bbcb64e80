import { createHash, randomBytes, randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { type WebhookEvent, webhookEvent } from "@gold-partner/protocol";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { addTestCertificate, TEST_PUBLIC_JWK } from "../../../testing/partner.ts";
import { untilWaiting } from "../../booking/fixture.ts";
import { suiteOperators } from "../../booking/operator_fixture.ts";
import { DAY_SECONDS, newThumbprint } from "./credential_fixture.ts";
import { rulesBrokenBy } from "../../booking/ledger/tampered_fixture.ts";

const IBAN = "SA0380000000608010167519";
const NEW_IBAN = "SA4420000001234567891234";
const URL = "https://bank.example/hook";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const newFingerprint = () => randomBytes(32).toString("hex");

describe("events about credentials, IBANs and webhook URLs", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  let authority: string;
  before(async () => {
    authority = newFingerprint();
    await maker
      .sql`select gold.add_authority(true, ${authority}, 'PEM', 'file:ca', 'LIST', clock_timestamp())`;
  });

  interface Partner {
    readonly client: number;
    readonly publicId: string;
    readonly thumbprint: string;
  }

  async function newPartner(): Promise<Partner> {
    const publicId = `sbx_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
    const thumbprint = newThumbprint();
    const key = { thumbprint, kid: "first", jwk: JSON.parse(TEST_PUBLIC_JWK) };
    const [row] = await maker.sql`
      select gold.create_partner(${publicId}, 'Bank', ${IBAN}, ${URL}, 50, 50, 10000000, '{127.0.0.1/32}',
        sha256(''), '\\x00', 'none', ${maker.sql.json([key])}) as client`;
    return { client: row!.client, publicId, thumbprint };
  }

  /** The partner's events as they are delivered. */
  async function eventsOf({ client }: { readonly client: number }): Promise<WebhookEvent[]> {
    await books.sql`select gold.seal_chain(${client})`;
    const rows = await books.sql`
      select b.body from gold.event e cross join lateral gold.event_body(e) b
      where e.client_id = ${client} order by e.sequence`;
    return rows.map(({ body }) => webhookEvent.parse(JSON.parse(body)));
  }

  const about = ({ type, data }: WebhookEvent): unknown[] => {
    const { chain_head: _head, ...rest } = data as { chain_head: string };
    return [type, ...Object.values(rest)];
  };

  const by = (changed_by: string | null, approved_by: string | null = null) => ({ changed_by, approved_by });

  /** The credential's row, with the members that its event has. */
  async function credentialOf({ client }: Partner, kind: string, id: string): Promise<object> {
    const [row] = await books.sql`
      select kind, credential as id, kid, valid_from, valid_until from gold.credentials_of(${client})
      where kind = ${kind} and credential = ${id}`;
    const { valid_from, valid_until, ...rest } = row!;
    return { ...rest, valid_from: valid_from.toISOString(), valid_until: valid_until?.toISOString() ?? null };
  }

  it("are a new partner's first events, with its IBAN, its URL and each credential", async () => {
    const partner = await newPartner();
    const events = await eventsOf(partner);
    const [secret, key, webhookSecret] = await books.sql`
      select kind, credential from gold.credentials_of(${partner.client}) order by kind`;
    const added = async ({ kind, credential }: Record<string, string>) => [
      "credential.added",
      { ...await credentialOf(partner, kind!, credential!), ...by(maker.login) },
    ];
    assertEquals(events.map(about), [
      ["settlement.changed", {
        iban_masked: "SA03****************7519",
        iban_sha256: sha256(IBAN),
        ...by(maker.login),
      }],
      ["webhook_endpoint.changed", { url: URL, endpoint: 1, removed_at: null, ...by(maker.login) }],
      await added(secret!),
      await added(key!),
      await added(webhookSecret!),
    ]);
    const keyed = about(events[3]!)[1] as Record<string, unknown>;
    assertEquals([keyed["id"], keyed["kid"], keyed["valid_until"]], [partner.thumbprint, "first", null]);
    assertEquals(events.map(({ sequence }) => sequence), [1, 2, 3, 4, 5]);
  });

  /** Each change, and the events that it must post: types and kinds, or the name of the new value. */
  type Change = readonly [posts: readonly string[], run: (partner: Partner) => Promise<unknown>];
  const changes: Readonly<Record<string, Change>> = {
    rotate_client_secret: [
      ["credential.ended client_secret", "credential.added client_secret"],
      ({ publicId }) => maker.sql`select gold.rotate_client_secret(${publicId}, sha256(''), ${DAY_SECONDS})`,
    ],
    rotate_webhook_secret: [
      ["credential.ended webhook_secret", "credential.added webhook_secret"],
      ({ publicId }) => maker.sql`select gold.rotate_webhook_secret(${publicId}, '\\x01', 'none', 0)`,
    ],
    retire_client_secret: [["credential.ended client_secret"], async ({ client, publicId }) => {
      const [row] = await books.sql`
          insert into gold.client_secret (partner_id, hash) values (${client}, '\\x02') returning id`;
      await maker.sql`select gold.retire_client_secret(${publicId}, ${row!.id}, null)`;
    }],
    retire_webhook_secret: [["credential.ended webhook_secret"], async ({ client, publicId }) => {
      const [row] = await books.sql`
          insert into gold.webhook_secret (partner_id, receiver_id, sealed, sealing_key)
          values (${client}, ${client}, '\\x02', 'none')
          returning id`;
      await maker.sql`select gold.retire_webhook_secret(${publicId}, ${row!.id}, null)`;
    }],
    add_signing_key: [["credential.added signing_key"], ({ publicId }) =>
      maker
        .sql`select gold.add_signing_key(${publicId}, ${newThumbprint()}, 'second', ${TEST_PUBLIC_JWK}::text::jsonb)`],
    retire_signing_key: [["credential.ended signing_key"], async ({ client, publicId, thumbprint }) => {
      await books.sql`
          insert into gold.signing_key (partner_id, thumbprint, jwk)
          values (${client}, ${newThumbprint()}, ${TEST_PUBLIC_JWK}::text::jsonb)`;
      await maker.sql`select gold.retire_signing_key(${publicId}, ${thumbprint}, null)`;
    }],
    add_certificate: [
      ["credential.added certificate"],
      ({ publicId }) => addTestCertificate(maker.sql, publicId, newFingerprint()),
    ],
    revoke_certificate: [
      ["credential.ended certificate"],
      async ({ client }) =>
        await maker.sql`select gold.revoke_certificate(${await insertCertificate(
          client,
          null,
        )}, 'key_compromise')`,
    ],
    retire_authority: [
      ["credential.ended certificate", "credential.ended certificate"],
      async ({ client }) => {
        const older = authority;
        authority = newFingerprint();
        await maker
          .sql`select gold.add_authority(false, ${authority}, 'PEM', 'file:ca', 'LIST', clock_timestamp())`;
        for (let n = 0; n < 2; n++) await insertCertificate(client, older);
        await maker.sql`select gold.retire_authority(${older})`;
      },
    ],
    set_partner: [
      [`webhook_endpoint.changed ${URL}/2`],
      ({ publicId }) =>
        maker.sql`select gold.set_partner(${publicId}, null, null, ${`${URL}/2`}, null, null, null)`,
    ],
    add_endpoint: [
      [`webhook_endpoint.changed ${URL}/3`, "credential.added webhook_secret"],
      ({ publicId }) =>
        maker.sql`select gold.add_endpoint(${publicId}, ${`${URL}/3`}, null, '\\x01', 'none')`,
    ],
    set_endpoint: [
      [`webhook_endpoint.changed ${URL}`],
      ({ publicId }) => maker.sql`select gold.set_endpoint(${publicId}, 1, null, '{day.closed}')`,
    ],
    remove_endpoint: [
      ["credential.ended webhook_secret", `webhook_endpoint.changed ${URL}/4`],
      async ({ client, publicId }) => {
        await books.sql`
          with added as (
            insert into gold.receiver (partner_id, number, url) values (${client}, 2, ${`${URL}/4`}) returning id
          )
          insert into gold.webhook_secret (partner_id, receiver_id, sealed, sealing_key)
          select ${client}, id, '\\x02', 'none' from added`;
        await maker.sql`select gold.remove_endpoint(${publicId}, 2)`;
      },
    ],
    approve_iban: [[`settlement.changed ${sha256(NEW_IBAN)}`], async ({ publicId }) => {
      await maker.sql`select gold.ask_iban(${publicId}, ${NEW_IBAN})`;
      await checker.sql`select gold.approve_iban(${publicId}, ${NEW_IBAN})`;
    }],
  };

  /** Inserts a certificate without an event, so that the tested change posts the only one. */
  async function insertCertificate(client: number, signer: string | null): Promise<string> {
    const fingerprint = newFingerprint();
    await books.sql`
      insert into gold.certificate (fingerprint, partner_id, serial, not_before, not_after, authority)
      values (${fingerprint}, ${client}, '4', clock_timestamp(), clock_timestamp() + interval '90 days', ${signer})`;
    return fingerprint;
  }

  for (const [name, [posts, run]] of Object.entries(changes)) {
    it(`are posted by ${name}, one for each credential or value that it changes`, async () => {
      const partner = await newPartner();
      const known = (await eventsOf(partner)).length;
      await run(partner);
      const posted = (await eventsOf(partner)).slice(known);
      const seen = posted.map((event) => {
        const [type, given] = about(event) as [string, Record<string, string | null>];
        return `${type} ${given["kind"] ?? given["url"] ?? given["iban_sha256"]}`;
      });
      assertEquals(seen, posts);
      for (const event of posted) {
        const [type, given] = about(event) as [string, Record<string, string | null>];
        const approved = type === "settlement.changed" ? checker.login : null;
        assertEquals([given["changed_by"], given["approved_by"]], [maker.login, approved]);
        if (!type.startsWith("credential.")) continue;
        const row = await credentialOf(partner, given["kind"]!, given["id"]!);
        assertEquals(given, { ...row, ...by(maker.login) } as never, "the event has the members of the row");
        if (type === "credential.ended") assert(given["valid_until"] !== null);
      }
    });
  }

  it("are posted by every function that writes such a row, except the functions listed here", async () => {
    const rows = await books.sql`
      select p.proname as name from pg_proc p
      where p.pronamespace = 'gold'::regnamespace
        and pg_get_functiondef(p.oid) ~* '(insert into|update) (gold[.])?(partner|receiver|signing_key|certificate|client_secret|webhook_secret)[ (]'
      order by 1`;
    // These write a name, limits, a date of use, a suspension, a requested IBAN or another encryption of a
    // secret. ask_iban() and approve_iban() write a new IBAN by register_iban().
    const others = ["ask_iban", "limit_partner", "record_use", "reseal", "resume_partner", "suspend_partner"];
    assertEquals(
      rows.map(({ name }) => name),
      [
        "add_simulated_secret",
        "create_partner",
        "register_iban",
        "simulate_credential",
        ...Object.keys(changes).filter((name) => name !== "approve_iban"),
        ...others,
      ]
        .sort(),
    );
  });

  it("are not posted when nothing changes or a change is refused", async () => {
    const partner = await newPartner();
    const { publicId, thumbprint } = partner;
    const known = await eventsOf(partner);
    await maker.sql`select gold.set_partner(${publicId}, 'Bank', null, ${URL}, null, null, null)`;
    await maker.sql`select gold.ask_iban(${publicId}, ${NEW_IBAN})`;
    await maker.sql`select gold.ask_iban(${publicId}, ${IBAN})`;
    await maker.sql`select gold.reseal('other', '[]')`;
    const refused = await maker.sql`select gold.retire_signing_key(${publicId}, ${thumbprint}, null)`
      .then(() => "done", ({ code }) => code);
    assertEquals(refused, "GR409");
    assertEquals(await eventsOf(partner), known);
  });

  it("report a credential with infinite dates without these dates, and its chain can be sealed", async () => {
    const client = await books.createClient();
    await books.sql`
      insert into gold.client_secret (partner_id, hash, not_before, retire_at)
      values (${client}, '\\x05', '-infinity', 'infinity')`;
    await books.sql`select gold.post_first_changes(${client}, null)`;
    const odd = (await eventsOf({ client })).map(about).find(([, given]) =>
      (given as { valid_from: unknown }).valid_from === null
    );
    assertEquals(odd![0], "credential.added");
  });

  it("are missing for a credential that a superuser inserted, and a query finds that credential", async () => {
    const partner = await newPartner();
    const missing = async () =>
      (await books.sql`
        select r.kind, r.credential from gold.credentials_of(${partner.client}) r
        where not exists (
          select from gold.partner_change c join gold.event e using (bucket, client_id, sequence)
          where e.type = 'credential.added' and c.client_id = ${partner.client}
            and (c.kind, c.credential, c.kid, c.valid_from) is not distinct from (r.kind, r.credential, r.kid, r.valid_from))`)
        .map(({ kind, credential }) => [kind, credential]);
    assertEquals(await missing(), []);
    const planted = newThumbprint();
    await books.sql`
      insert into gold.signing_key (partner_id, thumbprint, jwk)
      values (${partner.client}, ${planted}, ${TEST_PUBLIC_JWK}::text::jsonb)`;
    assertEquals(await missing(), [["signing_key", planted]]);
  });

  it("are sealed with all their members, and a line has the documented fields", async () => {
    const { client, thumbprint } = await newPartner();
    await books.sql`select gold.seal_chain(${client})`;
    const [row] = await books.sql`
      select l.line, (extract(epoch from c.valid_from) * 1000)::text as ms, gold.line_salt(p.chain_key, 4) as salt
      from gold.chain_lines(${client}, 3, 1) l join gold.partner_change c on c.client_id = ${client} and c.sequence = 4
        join gold.partner p on p.id = ${client}`;
    const members = `["signing_key", "${thumbprint}", "first", ${
      parseInt(row!.ms)
    }, null, null, null, "${maker.login}", null]`;
    assertEquals(row!.line.split("|").slice(6), [sha256(members), "", row!.salt]);
    assertEquals(row!.line.split("|")[3], "12");
    const edits: Record<number, readonly string[]> = {
      1: ["iban = 'SA'"],
      2: ["webhook_url = 'https://x.example/'"],
      4: [
        ...["kind = 'certificate'", "credential = 'x'", "kid = null", "login = 'x'", "approved_by = 'x'"],
        ...["valid_from = valid_from + interval '1 ms'", "valid_until = now()"],
        ...["sequence = 99", "client_id = 0, bucket = 0"],
      ],
    };
    for (const [sequence, changed] of Object.entries(edits)) {
      for (const edit of changed) {
        const where = `client_id = ${client} and sequence = ${sequence}`;
        const rules = await rulesBrokenBy(
          books.sql,
          `update gold.partner_change set ${edit} where ${where}`,
        );
        assertStringIncludes(rules, "chain_is_whole", edit);
      }
    }
  });

  it("lock the account before the rows that they change, so that two changes or a booking cannot deadlock", async () => {
    const lockedTables = async (client: number) => {
      const queries = ["partner", "client_secret", "webhook_secret", "signing_key", "certificate"].map(
        (table) => {
          const rows = `from gold.${table} where ${table === "partner" ? "id" : "partner_id"} = ${client}`;
          return `select '${table}' as name where (select count(*) ${rows}) >
          (select count(*) from (select ${rows} for update skip locked) free)`;
        },
      );
      const tables = await books.sql.unsafe(queries.join(" union all "));
      return tables.map(({ name }) => name as string);
    };
    for (const [name, [, run]] of Object.entries(changes)) {
      const partner = await newPartner();
      let changing: Promise<unknown> | undefined;
      await books.sql.begin(async (sql) => {
        await sql`select from gold.account where client_id = ${partner.client} for update`;
        changing = Promise.resolve(run(partner));
        await untilWaiting(books.sql);
        assertEquals(await lockedTables(partner.client), [], name);
      });
      await changing;
    }
  });

  it("cannot deadlock with bookings, and keep their numbers without a gap", async () => {
    const partners = await Promise.all([0, 0, 0].map(() => books.createClient()));
    const ids = await books
      .sql`select id, public_id from gold.partner where id = any(${partners}) order by id`;
    const operator = books.connect("superuser", 6);
    const rounds = 15;
    const funding = async (client: number) => {
      for (let n = 0; n < rounds; n++) {
        await books.sql`
          select gold.book_funding(true, ${client}, (select admission_version from gold.account where client_id = ${client}),
            ${`f-${randomUUID()}`}, '\\x00', 100, 100000000000000, ${randomUUID()}::uuid, ${randomUUID()}::uuid)`;
      }
    };
    const changing = async (n: number) => {
      const { id, public_id } = ids[n % ids.length]!;
      for (let round = 0; round < rounds; round++) {
        await operator`select gold.rotate_webhook_secret(${public_id}, '\\x01', 'none', 0)`;
        await operator`select gold.set_partner(${public_id}, null, null, ${`${URL}/${n}/${round}`}, null, null, null)`;
        await operator`select gold.revoke_certificate(${await insertCertificate(id, null)})`;
        await addTestCertificate(operator, public_id, newFingerprint());
      }
    };
    const renewing = async () => {
      for (let round = 0; round < 5; round++) {
        await changes["retire_authority"]![1]({ client: partners[round % 3]! } as Partner);
      }
    };
    await Promise.all([
      ...partners.map(funding),
      changing(0),
      changing(1),
      changing(2),
      changing(0),
      renewing(),
    ]);
    assertEquals(await books.defects(), []);
  });

  itLeavesNoDefects(books);
});
