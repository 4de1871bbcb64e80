import { createSealing, readKeys } from "@gold-partner/server";
import { randomBytes } from "node:crypto";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { runGold } from "../../gold_fixture.ts";
import { registryVersion } from "./authority_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

describe("gold key rotate token", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const published = async (): Promise<string[]> => {
    const reply = await operator.service.send("/.well-known/jwks.json", { method: "GET" });
    return (await reply.json() as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  async function issued(): Promise<{ token: string; kid: string }> {
    const { clientId, clientSecret } = operator.service.partner;
    const reply = await operator.service.send("/oauth/token", {
      headers: { "Content-Type": "application/x-www-form-urlencoded", Authorization: null },
      body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
    });
    const token = (await reply.json() as { access_token: string }).access_token;
    return { token, kid: JSON.parse(atob(token.split(".")[0]!)).kid };
  }
  const statusOf = async (token: string) =>
    (await operator.service.send("/v1/balances", {
      method: "GET",
      headers: { Authorization: `Bearer ${token}` },
    }))
      .status;

  it("publishes the new key before the key signs, and keeps live tokens valid", async () => {
    const { service } = operator;
    const older = await issued();
    const version = await registryVersion(operator);
    const calledMs = Date.now();
    const { kid, begins_at, older_retire_at } = await operator.done("key", "rotate", "token");
    const doneMs = Date.now();
    assert(await registryVersion(operator) > version);
    // The time of the rotation must be between the two instants.
    const rotatedMs = Date.parse(begins_at as string) - 10 * SECOND_MS;
    assert(calledMs <= rotatedMs && rotatedMs <= doneMs, `${calledMs} ${rotatedMs} ${doneMs}`);
    assertEquals(Date.parse(older_retire_at as string) - Date.parse(begins_at as string), 11 * MINUTE_MS);
    await service.refresh();
    assertEquals(await published(), [older.kid, kid]);
    const last = await issued();
    assertEquals(last.kid, older.kid);

    // Pass each instant by at least 10 s. The service estimates its time from the database's clock, and a
    // slow answer of the database makes the estimate lag. The new key begins 10 s after the rotation, and the
    // older key retires 11 minutes later.
    service.shiftClock(20 * SECOND_MS);
    const newer = await issued();
    assertEquals(newer.kid, kid);
    assertEquals([await statusOf(last.token), await statusOf(newer.token)], [200, 200]);
    service.shiftClock(9 * MINUTE_MS);
    assertEquals(await statusOf(last.token), 200);
    service.shiftClock(11 * MINUTE_MS + 30 * SECOND_MS);
    assertEquals(await published(), [kid]);
    service.shiftClock(0);
    const [note] = itemsOf(await operator.done("audit", "list", "--limit", "1"));
    assertEquals([note!.action, note!.subject], ["token_key.rotate", kid]);
  });

  it("asks before an overlap that ends live tokens, and never extends an earlier retirement", async () => {
    const words = ["key", "rotate", "token", "--overlap"];
    for (const long of ["91d", "30000d"]) refused(await operator.gold(...words, long), 2, "at most 90d");
    const declined = await runGold([...words, "10m"], { env: operator.env, yes: false });
    assertEquals(declined.problem.code, "not_confirmed");
    assertStringIncludes(declined.questions.join(), "valid tokens stop working early");
    refused(await operator.gold(...words, "soon"), 2, "30m, 24h");
    const { begins_at, older_retire_at } = await operator.done(...words, "0");
    assertEquals(begins_at, older_retire_at);
    await operator.done(...words, "7d");
    const lives = await operator.service.books.sql`
      select retire_at from gold.token_key order by not_before`;
    assertEquals(
      lives.slice(0, 2).every(({ retire_at }) => retire_at.getTime() <= Date.parse(begins_at as string)),
      true,
    );
    assertEquals(lives.map(({ retire_at }) => retire_at === null), [false, false, false, true]);
  });

  it("leaves one key without a retirement after two concurrent rotations", async () => {
    await Promise.all([operator, operator.colleague].map((person) => person.done("key", "rotate", "token")));
    const [row] = await operator.service.books.sql`
      select count(*) filter (where retire_at is null)::int as endless,
        (select kid from gold.token_key order by not_before desc limit 1) = min(kid) filter (where retire_at is null) as newest
      from gold.token_key`;
    assertEquals({ ...row }, { endless: 1, newest: true });
  });
});

describe("gold key rotate webhook-kek", () => {
  let operator: TestOperator;
  let file: string;
  before(async () => {
    operator = await testOperator();
    await operator.service.addPartner();
    file = operator.service.config.sealingKeySource.slice("file:".length);
  });
  after(() => operator.stop());

  /** Writes a new key into the first line of the source and returns the key's name. */
  async function putNewKey(): Promise<string> {
    const key = randomBytes(32).toString("hex");
    await writeFile(file, `${key}\n${await readFile(file, "utf8")}`);
    return (await createSealing(await readKeys(`file:${file}`))).currentKeyName;
  }
  const sealed = () => operator.service.books.sql`select * from gold.read_sealed() order by kind, id`;
  const openAll = async (lines: number) => {
    const sealing = await createSealing((await readKeys(`file:${file}`)).slice(0, lines));
    return await Promise.all((await sealed()).map((row) => sealing.open(row.sealed, row.sealing_key)));
  };

  it("does nothing if every secret is encrypted with the first key", async () => {
    const version = await registryVersion(operator);
    assertEquals((await operator.done("key", "rotate", "webhook-kek")).resealed, 0);
    assertEquals(await registryVersion(operator), version);
  });

  it("encrypts every secret again with the first key, which then decrypts all of them", async () => {
    const before = await openAll(1);
    assertEquals(before.length, 3);
    const name = await putNewKey();
    const version = await registryVersion(operator);
    assertEquals(await operator.done("key", "rotate", "webhook-kek"), { sealing_key: name, resealed: 3 });
    assertEquals(await openAll(1), before);
    assertEquals(await registryVersion(operator), version + 1);
    const [note] = itemsOf(await operator.done("audit", "list", "--limit", "1"));
    assertEquals([note!.action, note!.subject], ["sealing_key.rotate", name]);
    assertEquals(JSON.parse(note!.detail as string).resealed.length, 3);
    assertEquals((await operator.done("key", "rotate", "webhook-kek")).resealed, 0);
  });

  it("names the rows that no key of the source decrypts, and changes nothing", async () => {
    await putNewKey();
    const { sql } = operator.service.books;
    const before = await sealed();
    for (
      const spoil of [
        sql`update gold.token_key set sealing_key = 'lost'`,
        sql`update gold.token_key set sealed = '\\x0102030405060708090a0b0c0d0e0f' || sealed`,
      ]
    ) {
      await spoil;
      const spoiled = await sealed();
      refused(
        await operator.gold("key", "rotate", "webhook-kek"),
        1,
        `token_key ${before[0]!.id} (key ${spoiled[0]!.sealing_key})`,
      );
      assertEquals(await sealed(), spoiled);
      await sql`update gold.token_key set sealing_key = ${before[0]!.sealing_key}, sealed = ${
        before[0]!.sealed
      }`;
    }
    assertEquals((await operator.done("key", "rotate", "webhook-kek")).resealed, 3);
  });

  it("also re-encrypts a row that another command encrypts with the older key meanwhile", async () => {
    const { sql } = operator.service.books;
    const older = await createSealing(await readKeys(`file:${file}`));
    await putNewKey();
    const { client } = operator.service.partner;
    let running: Promise<Record<string, unknown>>;
    await sql.begin(async (transaction) => {
      await transaction`select from gold.audit_tail for update`;
      running = operator.done("key", "rotate", "webhook-kek");
      await untilOneWaits();
      await sql`
        insert into gold.webhook_secret (partner_id, receiver_id, sealed, sealing_key)
        values (${client}, ${client}, ${await older.seal("whsec_late")}, ${older.currentKeyName})`;
    });
    assertEquals((await running!).resealed, 4);
    assertEquals((await openAll(1)).filter((text) => text === "whsec_late").length, 1);
  });

  it("leaves out a retired secret or key, so that a lost sealing key does not block the next change", async () => {
    const { sql } = operator.service.books;
    const { client } = operator.service.partner;
    const [key] = await sql`select * from gold.token_key`;
    await sql`
      insert into gold.token_key (kid, public_jwk, sealed, sealing_key, not_before, retire_at)
      values ('retired', ${
      sql.json(key!.public_jwk)
    }::jsonb, '\\x00', 'lost', clock_timestamp() - interval '1 day',
        clock_timestamp() - interval '1 hour')`;
    await sql`
      insert into gold.webhook_secret (partner_id, receiver_id, sealed, sealing_key, not_before, retire_at)
      values (${client}, ${client}, '\\x00', 'lost', clock_timestamp() - interval '1 day',
        clock_timestamp() - interval '1 hour')`;
    const active = await sealed();
    await putNewKey();
    assertEquals((await operator.done("key", "rotate", "webhook-kek")).resealed, active.length);
    const [lost] = await sql`
      select (select count(*)::int from gold.token_key where sealing_key = 'lost') as keys,
        (select count(*)::int from gold.webhook_secret where sealing_key = 'lost') as secrets`;
    assertEquals({ ...lost }, { keys: 1, secrets: 1 });
  });

  it("does not overwrite a secret that was changed since it was read", async () => {
    const [row] = await sealed();
    const secrets = [{ kind: row!.kind, id: row!.id, before: "00", after: "01" }];
    const { sql } = operator.service.books;
    const [done] = await sql`select gold.reseal('newer', ${sql.json(secrets)}::jsonb) as resealed`;
    assertEquals(done!.resealed, 0);
    assertEquals((await sealed())[0], row);
  });

  async function untilOneWaits(): Promise<void> {
    for (;;) {
      const [row] = await operator.service.books.sql`
        select count(*)::int as n from pg_stat_activity where usename = ${operator.login} and wait_event_type = 'Lock'`;
      if (row!.n > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});

describe("gold key rotate pepper", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const stored = async () => {
    const [row] = await operator.service.books.sql`
      select pepper_name as name, (select count(*)::int from gold.audit where action = 'pepper.rotate') as rotations
      from gold.deployment`;
    return Object.values(row!);
  };
  const [words, file] = [
    ["key", "rotate", "pepper"],
    () => operator.service.config.pepperSource.slice("file:".length),
  ];

  it("declares the pepper of the key file after a question, and then makes secrets with it", async () => {
    const [old] = await stored();
    assertEquals(await operator.done(...words), { pepper: old, rotated: false });
    await writeFile(file(), randomBytes(32).toString("hex"));
    const { clientId } = operator.service.partner;
    refused(await operator.gold("secret", "rotate", clientId), 1, `hashed with the pepper ${old}`);
    const declined = await runGold(words, { env: operator.env, yes: false });
    assertEquals(declined.problem.code, "not_confirmed");
    assertStringIncludes(declined.questions.join(), "each partner needs a new one");
    assertEquals(await stored(), [old, 0]);
    const { pepper } = await operator.done(...words);
    assertEquals(await stored(), [pepper, 1]);
    assertEquals((await operator.gold("secret", "rotate", clientId)).exit, 0);
  });

  it("needs two people where changes need them", async () => {
    await operator.service.books.sql`select gold.require_two_people()`;
    const before = await stored();
    await writeFile(file(), randomBytes(32).toString("hex"));
    const { proposal_id, sha256 } = await operator.done(...words) as Record<string, string>;
    assertEquals(await stored(), before);
    const { changes } = await operator.done("proposal", "show", proposal_id!);
    const [change] = changes as { member: string; today: string; proposed: string }[];
    assertEquals([change!.member, change!.today], ["pepper", before[0]]);
    await operator.colleague.done("proposal", "approve", proposal_id!, "--sha256", sha256!);
    assertEquals(await stored(), [change!.proposed, 2]);
    const DATABASE_URL = operator.service.books.url;
    const { items } = (await runGold(["audit", "full", "--json"], { env: { DATABASE_URL } })).json;
    const findings = (items ?? []) as { rule: string; row: string }[];
    assertEquals(findings.filter(({ row }) => row.includes("pepper") || row.includes("deployment")), []);
  });
});
