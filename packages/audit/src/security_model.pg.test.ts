import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { type OperatorKeys, parseOperatorKeys } from "@gold-partner/approvals";
import {
  approveSigned,
  createTrader,
  newTestKey,
  proposeSigned,
  registerRootKeys,
  type Signatory,
  signedWrite,
  type TestBooks,
  testBooks,
  type Trader,
} from "@gold-partner/server/testing";
import { forgeKey, newSoftwareKey, type SoftwareKey } from "@gold-partner/approvals/testing";
import { assert, assertEquals } from "@std/assert";
import type { TransactionSql } from "postgres";
import { type AuditedBooks, auditedBooks } from "./books_fixture.ts";
import { auditBooks, type AuditOptions } from "./full_audit.ts";
import { openAuditConnection, SESSION_SETTINGS } from "./snapshot.ts";

const PAGE = new URL("../../../docs/security_model.md", import.meta.url);
const IBAN = "SA0380000000608010167519";
/** Logins belong to the whole server, on which other tests run. */
const OWN = `own_${randomBytes(4).toString("hex")}`;
const MIGRATION = `${OWN}_migration`;
const NO_TWO_PEOPLE =
  "create or replace function gold.two_people() returns boolean language sql stable return false";
/** An attacker who knows the code computes the chain of the audit trail again. */
const RESEAL = `
  set local search_path = public;
  delete from gold.audit_link; delete from gold.audit_tail; select gold.seal_audit()`;

/** Changes the login of the transaction. */
type As = (login: string) => Promise<unknown>;
/**
 * Takes the steps of one attack in a transaction. The test then audits the transaction, and rolls it back.
 */
type Attack = (sql: TransactionSql, as: As) => Promise<unknown>;

/** The first partner's secrets of its first endpoint then sign the webhooks of the newest partner. */
const FOREIGN_SECRET = `
  update gold.webhook_secret set receiver_id = (select max(id) from gold.partner)
  where receiver_id = partner_id and partner_id = (select min(id) from gold.partner)`;

describe("what one login can do alone, according to docs/security_model.md", () => {
  let audited: AuditedBooks;
  /** Books with a partner that trades. */
  let trading: TestBooks;
  let trader: Trader;
  let roots: OperatorKeys;
  let maker: string;
  let checker: string;
  let files: readonly AuditOptions[];
  before(async () => {
    audited = await auditedBooks();
    roots = await parseOperatorKeys(audited.operatorKeys);
    [maker, checker] = roots.keys.map(({ login }) => login) as [string, string];
    const { rules, keys } = await runAttack(audited.books, asMigration, [{}]);
    assertEquals(rules, [[]]);
    files = [{}, { operatorKeys: roots }, { keys: keys! }];
    trading = await testBooks();
    await trading.addBar(100_000_000n);
    trader = await createTrader(trading.sql);
  });
  after(async () => {
    await audited?.stop();
    await trading?.stop();
  });

  /**
   * Returns the refusal, or the rules that fail with each of the given files, up to the file that finds the
   * attack.
   */
  async function runAttack({ url }: TestBooks, attack: Attack, given: readonly AuditOptions[]) {
    const undone = new Error("undone");
    const rules: string[][] = [];
    let refusal = "";
    let keys: AuditOptions["keys"];
    const connection = openAuditConnection(url);
    await connection.begin(async (sql) => {
      const as: As = (login) => sql.unsafe(`set local session authorization ${login}`);
      await attack(sql, as).catch((error: Error) => {
        refusal = error.message;
        throw undone;
      });
      await as("default");
      for (const setting of SESSION_SETTINGS) await sql.unsafe(setting);
      for (const options of given) {
        const report = await auditBooks(sql, options);
        const found = report.findings.filter(({ rule, row }) =>
          rule !== "role_is_expected" || row.includes(OWN) || row.includes("gold_")
        );
        rules.push([...new Set(found.map(({ rule }) => rule))].sort());
        keys = report.keys;
        if (found.length > 0) break;
      }
      throw undone;
    }).catch((error) => {
      if (error !== undone) throw error;
    });
    await connection.end({ timeout: 1 });
    return { refusal, rules, keys };
  }

  /** The login that owns the database, as docs/deployment.md describes it. */
  async function asMigration(sql: TransactionSql, as: As) {
    const [row] = await sql`select current_database() as name`;
    await sql.unsafe(`create role ${MIGRATION} login createrole;
      grant gold_owner, gold_book to ${MIGRATION}; grant gold_treasury, gold_keys to ${MIGRATION} with admin option;
      alter database ${row!.name} owner to ${MIGRATION}; alter schema gold owner to ${MIGRATION};
      alter schema gold_attempts owner to ${MIGRATION}; alter schema gold_migrations owner to ${MIGRATION};
      alter table gold_migrations.__drizzle_migrations owner to ${MIGRATION}`);
    await as(MIGRATION);
  }
  /** Runs the statement as a superuser, without triggers. */
  const edit = (statement: string): Attack => async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql.unsafe(statement.replaceAll("PARTNER", `'${audited.publicId}'`));
  };
  const simulateDeposit = (reference: string): Attack => (sql) =>
    sql`
      select gold.approve_deposit_as('gold_simulation_checker',
        gold.record_deposit_as('gold_simulation_maker', ${audited.publicId}, 700, ${reference}))`;
  const migrationRuns = (statement: string): Attack => async (sql, as) => {
    await asMigration(sql, as);
    await sql.unsafe(statement);
  };
  /** Returns a person who has this login, but not its SSH key, and therefore forges signatures. */
  async function thief(sql: TransactionSql, login: string): Promise<Signatory> {
    const { key } = roots.keys.find((root) => root.login === login)!;
    return signatory(sql, login, await forgeKey(key));
  }
  /**
   * The migration login gives the logins of two operators new passwords, and proposes and approves as them.
   */
  function withTwoPasswords(kind: string, content: () => object): Attack {
    return async (sql, as) => {
      await asMigration(sql, as);
      await as("default");
      await sql.unsafe(`grant ${maker}, ${checker} to ${MIGRATION} with admin option`);
      await as(MIGRATION);
      for (const login of [maker, checker]) await sql.unsafe(`alter role ${login} password 'own'`);
      await approveForged(sql, as, kind, content());
    };
  }
  async function approveForged(
    sql: TransactionSql,
    as: (login: string) => Promise<unknown>,
    kind: string,
    content: object,
  ): Promise<void> {
    const people = [await thief(sql, maker), await thief(sql, checker)] as const;
    await as(maker);
    const proposal = await proposeSigned(people[0], kind, content);
    await as(checker);
    await approveSigned(people[1], proposal);
  }
  /** Returns a write that names the trader's key, but is signed with another key. */
  const forgedWrite = async (path: string, body: object) =>
    await signedWrite(
      trading.sql,
      { signer: (await newTestKey("own")).signer, thumbprint: trader.key.thumbprint },
      path,
      JSON.stringify(body),
    );

  /** Makes a quote for the trader with the login of the API. */
  async function makeQuote(sql: TransactionSql, as: As): Promise<string> {
    const [row] = await sql`select gold.new_uuid(clock_timestamp())::text as quote`;
    const quote: string = row!.quote;
    await as("gold_api");
    const [made] = await sql`
      select status from gold.book_quotes(true, false, array[${trader.client}::int], array[1::bigint], array['own'], array['\\x0b'::bytea],
        array['buy'::gold.side], array[10::bigint], array[null::bigint], array[1::bigint], array[1000000000::bigint],
        array[${quote}::uuid], array[gen_random_uuid()], array[null::text], array[null::text])`;
    assertEquals(made!.status, 201);
    return quote;
  }

  const attacks: Readonly<Record<string, Attack>> = {
    "migration login: register an operator key of its own": migrationRuns(
      `select gold.add_operator_key('${MIGRATION}', 'ssh-ed25519 AAAA')`,
    ),
    "migration login: approve a proposal, with a role that it gives itself": async (sql, as) => {
      await asMigration(sql, as);
      await sql.unsafe(`grant gold_treasury to ${MIGRATION}`);
      await as(maker);
      const person = await thief(sql, maker);
      const content = { client_id: audited.publicId, amount: "700", bank_reference: "OWN-1" };
      const proposal = await proposeSigned(person, "deposit.record", content);
      await as(MIGRATION);
      await approveSigned({ ...person, login: MIGRATION }, proposal);
    },
    "migration login: create a login with roles": migrationRuns(
      `create role ${OWN} login; grant gold_keys to ${OWN}`,
    ),
    "migration login: write the audit row of this login, too": migrationRuns(
      `create role ${OWN} login; grant gold_keys to ${OWN};
       select gold.note('operator.add', '${OWN}', '{"roles": ["keys"]}')`,
    ),
    "migration login: make a login of its own a member of an operator's login, and approve a withdrawal with it":
      async (sql, as) => {
        await asMigration(sql, as);
        await as("default");
        await sql.unsafe(`grant ${checker} to ${MIGRATION} with admin option`);
        await as(MIGRATION);
        await sql.unsafe(`create role ${OWN} login in role ${checker}`);
        const [row] = await sql`select id from gold.withdrawal_overview where status = 'pending_approval'`;
        await as("default");
        await as(OWN);
        await sql`select gold.approve_withdrawal(${row!.id}::uuid)`;
      },
    "migration login: set the password of an operator's login": async (sql, as) => {
      await asMigration(sql, as);
      await as("default");
      await sql.unsafe(`grant ${maker} to ${MIGRATION} with admin option`);
      await as(MIGRATION);
      await sql.unsafe(`alter role ${maker} password 'own'`);
    },
    "migration login: raise a limit, as the owner of the tables": migrationRuns(
      "update gold.partner set maximum_grams = 99999999",
    ),
    "migration login: replace a function": migrationRuns(NO_TWO_PEOPLE),
    "migration login: set the passwords of two operators, and credit a deposit with forged signatures":
      withTwoPasswords("deposit.record", () => ({
        ...{ client_id: audited.publicId, amount: "500000000", bank_reference: "OWN-1" },
      })),
    "migration login: set the passwords of two operators, and set a price with forged signatures":
      withTwoPasswords("price.set", () => ({
        ...{ source: "fixed", mid: "200", spread_basis_points: 60, stale_after_seconds: 10, url: null },
      })),
    "migration login: turn the price band off for one price, and restore both": migrationRuns(`
      do $$ declare before gold.price; begin
        select * into before from gold.price;
        update gold.price set band_basis_points = null, band_hour_basis_points = null, mid = 200, buy = 201, sell = 199,
          as_of = clock_timestamp();
        update gold.price set mid = before.mid, buy = before.buy, sell = before.sell, as_of = before.as_of;
        update gold.price set band_basis_points = before.band_basis_points,
          band_hour_basis_points = before.band_hour_basis_points;
      end $$`),
    "migration login: read every row, with hashes and ciphertexts of secrets": migrationRuns(
      "select hash from gold.client_secret; select sealed from gold.token_key; select * from gold.account",
    ),
    "migration login: let a partner's secret sign the webhooks of another partner": migrationRuns(
      FOREIGN_SECRET,
    ),
    "a superuser: raise a limit": edit("update gold.partner set maximum_grams = 99999999"),
    "a superuser: write the audit row of this limit, too": edit(
      `update gold.partner set maximum_grams = 99999999 where public_id = PARTNER;
       select gold.note('partner.set', PARTNER, '{"maximum_grams": 99999999}')`,
    ),
    "a superuser: change a webhook URL": edit("update gold.receiver set url = 'https://own.example/'"),
    "a superuser: let a partner's secret sign the webhooks of another partner": edit(FOREIGN_SECRET),
    "a superuser: add a certificate": edit(
      `insert into gold.certificate (fingerprint, partner_id, serial, not_before, not_after)
       select repeat('ab', 32), id, '4a', now(), now() + interval '1 year' from gold.partner where public_id = PARTNER`,
    ),
    "a superuser: replace a token key": edit("update gold.token_key set sealed = '\\x01'"),
    "a superuser: widen the price band": edit(
      "update gold.price set band_basis_points = 5000, band_hour_basis_points = 5000",
    ),
    "a superuser: turn two people off": edit("update gold.deployment set two_people = false"),
    "a superuser: change a balance": edit(
      "update gold.account set sar_available = sar_available + 100 where client_id > 0",
    ),
    "a superuser: book a deposit": async (sql) => {
      await sql`
        select gold.approve_deposit_as('badr', gold.record_deposit_as('amal', ${audited.publicId}, 700, 'OWN-1'))`;
    },
    "a superuser: book a deposit with the logins of simulations and its own reference": simulateDeposit(
      "OWN-1",
    ),
    "a superuser: book a deposit in a sandbox as a simulation does": simulateDeposit(
      "SIMULATED-0198b3a5-7c00-7000-8000-000000000000",
    ),
    "a superuser: edit an approved proposal": edit(
      `update gold.proposal set content = content || '{"amount": "900"}' where kind = 'deposit.record'`,
    ),
    "a superuser: replace the signature of an approval, and compute the audit trail again": edit(
      `update gold.proposal set approver_signature = proposer_signature where kind = 'deposit.record';
       update gold.audit a set detail = a.detail || jsonb_build_object('signature_sha256', gold.hash_text(convert_to(p.approver_signature, 'UTF8')))
       from gold.proposal p where p.kind = 'deposit.record' and a.subject = p.id::text and a.action = 'proposal.approve';
       ${RESEAL}`,
    ),
    "a superuser: undo the suspension of a partner, with its audit row, and compute the audit trail again":
      edit(
        `update gold.partner set suspended_at = null; delete from gold.audit where action = 'partner.suspend'; ${RESEAL}`,
      ),
    "a superuser with an ended operator key: approve a proposal that another person signed, dated before this end":
      async (sql, as) => {
        const { endedKey, pending } = audited;
        const [{ fingerprint, ended_at }] = await sql<[{ fingerprint: string; ended_at: string }]>`
          select fingerprint, ended_at::text from gold.operator_key where ended_at is not null`;
        const [{ last }] = await sql<[{ last: string }]>`select max(id)::text as last from gold.audit`;
        await edit("update gold.operator_key set ended_at = null")(sql, as);
        await sql`set local session_replication_role = origin`;
        await as(maker);
        await approveSigned(signatory(sql, maker, endedKey), pending);
        await as("default");
        await edit(`
          update gold.operator_key set ended_at = '${ended_at}' where fingerprint = '${fingerprint}';
          update gold.proposal set decided_at = '${ended_at}' where id = '${pending.id}';
          update gold.audit set at = '${ended_at}' where id > ${last};
          update gold.audit set detail = detail || jsonb_build_object('decided_at', gold.instant_text('${ended_at}'))
          where id > ${last} and action = 'proposal.approve'; ${RESEAL}`)(sql, as);
      },
    "a superuser: replace a function": edit(NO_TWO_PEOPLE),
    "a superuser: create another superuser": edit(`create role ${OWN} superuser`),
    "a superuser: make gold_api a member of postgres": edit("grant postgres to gold_api"),
    "two logins of operators without their SSH keys: credit a deposit with forged signatures": async (
      sql,
      as,
    ) => {
      const content = { client_id: audited.publicId, amount: "500000000", bank_reference: "OWN-1" };
      await approveForged(sql, as, "deposit.record", content);
    },
    "one login of an operator with the pepper: store the hash of a client secret of its own": async (
      sql,
      as,
    ) => {
      await as(maker);
      await sql`select gold.rotate_client_secret(${audited.publicId}, sha256(''), 3600)`;
    },
    "gold_api: make a quote for a partner": makeQuote,
    "gold_api: book an order of a partner": async (sql, as) => {
      const quote = await makeQuote(sql, as);
      const write = await forgedWrite("/v1/orders", { quote_id: `qt_${quote}` });
      const [booked] = await sql`
        select status from gold.book_orders(true, false, array[${trader.client}::int], array[1::bigint], array[${write.nonce}::uuid],
          array['own order'], array[${write.fingerprint}::text::bytea], array[${quote}::uuid], array[gen_random_uuid()],
          array[null::text], array[null::text], array[${write.signedRequest}::text::bytea], array[${write.thumbprint}::text::bytea])`;
      assertEquals(booked!.status, 201);
    },
    "gold_api: book a withdrawal of a partner, to the registered IBAN": async (sql, as) => {
      const write = await forgedWrite("/v1/withdrawals", { amount_sar: 1 });
      await as("gold_api");
      const [booked] = await sql`
        select status from gold.book_withdrawal(false, ${trader.client}, 1, ${write.nonce}::uuid, 'own', ${write.fingerprint}::text::bytea,
          100, 100000000000000, null, gen_random_uuid(), gen_random_uuid(), null, ${write.signedRequest}::text::bytea,
          ${write.thumbprint}::text::bytea)`;
      assertEquals(booked!.status, 201);
      const others = await sql`select from pg_proc where proname ~ '^book_' and proargnames::text ~ 'iban'`;
      assertEquals(others.length, 0);
    },
    "gold_api: credit money in production": async (sql, as) => {
      await sql`update gold.deployment set environment = 'production'`;
      await as("gold_api");
      await sql`
        select gold.book_funding(false, ${trader.client}, 1, 'own', '\\x00', 100, 100000000000000, gen_random_uuid(), gen_random_uuid())`;
    },
    "gold_api: read the hashes of client secrets and the ciphertexts of token keys": readSecrets("gold_api"),
    "gold_delivery: read the same, and the ciphertexts of webhook secrets": async (sql, as) => {
      await readSecrets("gold_delivery")(sql, as);
      await as("default");
      const [held] = await sql`select worker::text from gold.endpoint`;
      await as("gold_delivery");
      const [row] = await sql`select secrets::text from gold.renew_receivers(${held!.worker}::uuid)`;
      assert(/"sealed"/.test(row!.secrets), row!.secrets);
    },
    "gold_trust gold_api: read the IBAN, secret hash and webhook ciphertext with which a partner was created":
      async (
        sql,
        as,
      ) => {
        const key = await newTestKey();
        const [secret, sealed] = [randomBytes(32).toString("hex"), randomBytes(60).toString("hex")];
        const content = {
          ...{ client_id: `sbx_${randomBytes(10).toString("hex")}`, name: "Bank", iban: IBAN, limits: {} },
          ...{
            webhook_url: "https://bank.example/",
            rate_per_second: 50,
            burst: 50,
            maximum_grams: "10000000",
          },
          ...{ secret_hash: secret, webhook_sealed: sealed, sealing_key: "none", ips: ["203.0.113.0/24"] },
          keys: [{ thumbprint: key.thumbprint, kid: null, jwk: key.publicJwk }],
        };
        await createPartner(sql, as, content);
        for (const [login, kinds] of [["gold_trust", "trust"], ["gold_api", "registry"]] as const) {
          await as(login);
          const [row] = await sql.unsafe(`select gold.read_${kinds}_approvals()::text as text`);
          for (const value of [IBAN, secret, sealed]) assert(row!.text.includes(value), row!.text);
        }
      },
    "gold_ticker: store a price within the band": tick(4_010_000n),
    "gold_ticker: store a price beyond the band": tick(8_000_000n),
    "gold_ticker: move the price up and down again and again, within the band": async (sql, as) => {
      for (let round = 0; round < 10; round++) {
        for (const mid of [4_030_000n, 4_000_000n]) await tick(mid)(sql, as);
      }
    },
  };

  /**
   * Returns the outcome in the words of the page, so `stated` if a refusal contains the words that it states.
   */
  async function describeOutcome(key: string, stated: string): Promise<string> {
    const [books, given] = /^gold_(trust|api: (?!read))/.test(key) ? [trading, [{}]] : [audited.books, files];
    const { refusal, rules } = await runAttack(books, attacks[key]!, given);
    const [words] = stated.startsWith("refused") ? codesOf(stated) : [];
    if (refusal !== "") return words !== undefined && refusal.includes(words) ? stated : refusal;
    const at = rules.findIndex((list) => list.length > 0);
    if (at === -1) return "not found";
    const file = ["", "with `--operator-keys` ", "with `--keys` "][at];
    return `found ${file}by ${rules[at]!.map((rule) => `\`${rule}\``).join(" ")}`;
  }

  it("has the outcomes that the table states", async () => {
    const section = (await readFile(PAGE, "utf8")).split("\n## What one login can do alone\n")[1]!.split(
      "\n## ",
    )[0]!;
    const lines = Array.from(
      section.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm),
      ([, who, what, stated]) => [`${who}: ${what}`.replaceAll("`", ""), stated!] as const,
    ).slice(2);
    assertEquals(lines.map(([key]) => key).sort(), Object.keys(attacks).sort());
    const actual: [string, string][] = [];
    for (const [key, stated] of lines) actual.push([key, await describeOutcome(key, stated)]);
    assertEquals(actual, lines as [string, string][]);
  });
});

const signatory = (sql: TransactionSql, login: string, key: SoftwareKey): Signatory => ({
  login,
  sql: Object.assign(sql, { json: (value: unknown) => JSON.stringify(value) }) as never,
  key,
});

/** Two people who sign create a partner. */
async function createPartner(
  sql: TransactionSql,
  as: (login: string) => Promise<unknown>,
  content: object,
): Promise<void> {
  const people: Signatory[] = [];
  for (const login of [`${OWN}_maker`, `${OWN}_checker`]) {
    await sql`select gold.add_operator(${login}, 'own')`;
    people.push(signatory(sql, login, await newSoftwareKey()));
  }
  await sql`select gold.require_two_people()`;
  await registerRootKeys(people[0]!.sql, ...people);
  await as(people[0]!.login);
  const proposal = await proposeSigned(people[0]!, "partner.create", content);
  await as(people[1]!.login);
  await approveSigned(people[1]!, proposal);
}

const codesOf = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code]) => code!);

/** Reads the registry with this login. */
function readSecrets(login: string): Attack {
  return async (sql, as) => {
    await as(login);
    const [row] = await sql`select document::text as text from gold.read_registry(null)`;
    assert(/"hash"/.test(row!.text) && /"token_keys": \[{[^\]]*"sealed"/.test(row!.text), row!.text);
  };
}

/** Stores a price, as the ticker does with a price of the source. */
function tick(mid: bigint): Attack {
  return async (sql, as) => {
    const [buy, sell] = [(mid * 20060n + 19999n) / 20000n, mid * 19940n / 20000n];
    await as("gold_ticker");
    const [row] = await sql`
      select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, ${`${mid}`}::text::bigint, ${`${buy}`}::text::bigint,
        ${`${sell}`}::text::bigint, null) as stored from gold.current_price p`;
    assertEquals(row!.stored, true);
  };
}
