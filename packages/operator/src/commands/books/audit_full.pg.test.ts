import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  approveSigned,
  newSignatory,
  operatorKeysOf,
  proposeSigned,
  registerRootKeys,
  type Signatory,
} from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { forgeKey } from "@gold-partner/approvals/testing";
import { dropLogins } from "../../../../../tools/testing/drop_logins.ts";
import { connect } from "../../database.ts";
import { runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const ROOT = fileURLToPath(new URL("../../../../..", import.meta.url));
const IBAN = "SA0380000000608010167519";

describe("gold audit full", () => {
  let operator: TestOperator;
  /** A login that may only read. */
  const auditor = `auditor_${randomBytes(4).toString("hex")}`;
  let url: string;
  const audit = (...argv: string[]) => runGold(["audit", ...argv, "--json"], { env: { DATABASE_URL: url } });
  const publicId = `sbx_${randomBytes(10).toString("hex")}`;
  let client: number;
  let people: readonly Signatory[] = [];
  /** The file of the operators' first keys. */
  let file: string;
  const sql = () => operator.service.books.sql;

  before(async () => {
    operator = await testOperator();
    const [row] = await sql()`
      select gold.create_partner(${publicId}, 'Test', ${IBAN}, null, 2000, 2000, 10000000, '{127.0.0.1/32}', sha256(''), '\\x00', 'none',
        '[]') as client`;
    client = row!.client;
    await sql()`
      select gold.book_funding(false, ${client}, 1, 'key', '\\x00', 1000, 100000000000000, gen_random_uuid(), gen_random_uuid())`;
    await sql()`select gold.seal_chain(${client})`;
    // The fixture of the service changes the deployment without an audit row. One changed value makes this
    // function record all values.
    await sql()`
      select gold.settle_deployment(environment, public_base_url, loopback_receivers, sealing_key_source, pepper_source, flood_per_second,
        webhook_ports, attempts_kept_days + 1::smallint) from gold.deployment`;
    await sql().unsafe(`create role ${auditor} login password '${auditor}' in role pg_read_all_data`);
    const own = new URL(operator.service.books.url);
    [own.username, own.password] = [auditor, auditor];
    url = own.href;
  });
  after(async () => {
    for (const person of people) await person.sql.end({ timeout: 1 });
    await dropLogins(sql(), auditor);
    await operator.stop();
  });

  it("runs by deploy/audit/crontab, and writes its end and its defects for the node exporter", async () => {
    const folder = operator.path("");
    const crontab = readFileSync(new URL("../../../../../deploy/audit/crontab", import.meta.url), "utf8");
    const [, command] = /^30 2 \* \* \* gold (.*)$/m.exec(crontab)!;
    assertEquals((await audit("keys", "--out", operator.path("keys.json"))).exit, 0);
    assertEquals((await operator.gold("ledger", "heads", "--out", operator.path("heads.json"))).exit, 0);
    writeFileSync(operator.path("audit.env"), `DATABASE_URL='${url}'\n`);
    const line = command!.replaceAll("/opt/gold", ROOT)
      .replaceAll(/\/etc\/gold|\/var\/lib\/node_exporter|\/var\/log\/gold/g, folder);
    /** Runs the job, and returns what it printed. Its metrics have the same number of defects. */
    const run = async () => {
      const env = { PATH: process.env.PATH ?? "", HOME: folder };
      await promisify(execFile)("sh", ["-c", line], { env }).catch(({ code }) => assertEquals(code, 4));
      const metrics = readFileSync(operator.path("gold_audit.prom"), "utf8");
      const ended = Number(/^gold_audit_ended_seconds (\d+)$/m.exec(metrics)![1]);
      assert(Math.abs(Date.now() / 1000 - ended) < 600, metrics);
      const printed = readFileSync(operator.path("audit.log"), "utf8");
      rmSync(operator.path("audit.log"));
      const [, defects] = /^defects +(\d+)$/m.exec(printed)!;
      assertMatch(metrics, new RegExp(`^gold_audit_defects ${defects}$`, "m"));
      return printed;
    };
    const changed = "SA4420000001234567891234";
    assert(!(await run()).includes(changed));
    await sql()`update gold.partner set iban = ${changed} where id = ${client}`;
    assertMatch(await run(), new RegExp(`^change_has_event .*${changed}`, "m"));
    await sql()`update gold.partner set iban = ${IBAN} where id = ${client}`;
    for (const file of ["keys.json", "heads.json"]) rmSync(operator.path(file));
  });

  it("accepts the credentials in the file that audit keys wrote, and reports an IBAN that has changed since", async () => {
    const file = operator.path("keys.json");
    // Other tests create roles on the same server at the same time.
    const findings = async () =>
      itemsOf((await audit("full", "--keys", file)).json).filter(({ rule }) => rule !== "role_is_expected");
    assertEquals((await audit("keys", "--out", file)).exit, 0);
    // The fixture of the service inserts its own partner directly, so the audit reports that partner.
    const known = (await findings()).map((finding) => JSON.stringify(finding));
    assertEquals(
      known.filter((finding) => finding.includes(publicId) || finding.includes("key_is_kept")),
      [],
    );
    await sql()`update gold.partner set iban = 'SA4420000001234567891234' where id = ${client}`;
    const added = (await findings()).filter((finding) => !known.includes(JSON.stringify(finding)));
    assertEquals(
      new Set(added.map(({ rule }) => rule)),
      new Set(["registry_is_noted", "change_has_event", "key_is_kept"]),
    );
    await sql()`update gold.partner set iban = ${IBAN} where id = ${client}`;
  });

  it("reuses the stored result of a range of clients only if no row of that range has changed", async () => {
    const state = operator.path("state.json");
    await audit("full", "--resume", state);
    const again = await audit("full", "--resume", state);
    assertEquals(again.json.resumed_clients, again.json.clients);
    await sql().begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction`update gold.funding set amount = amount + 1 where client_id = ${client}`;
    });
    const edited = await audit("full", "--resume", state);
    const rules = itemsOf(edited.json).map(({ rule }) => rule);
    assertEquals([edited.json.resumed_clients, rules.includes("transfer_is_derived")], [0, true]);
  });

  it("reuses no stored result if a partner's chain key has changed", async () => {
    const state = operator.path("chain_key_state.json");
    await audit("full", "--resume", state);
    const setKey = (key: string) =>
      sql().begin(async (transaction) => {
        await transaction`set local session_replication_role = replica`;
        await transaction`update gold.partner set chain_key = ${key}::text::bytea where id = ${client}`;
      });
    const [{ key }] = await sql()`select chain_key::text as key from gold.partner where id = ${client}` as [
      { key: string },
    ];
    await setKey(`\\x${"00".repeat(32)}`);
    const { resumed_clients } = (await audit("full", "--resume", state)).json;
    await setKey(key);
    assertEquals(resumed_clients, 0);
  });

  it("lists what its login may not read, and reads it with the URL of a superuser", async () => {
    const namesOf = async (...argv: string[]) =>
      (((await audit("full", ...argv)).json.skipped ?? []) as { name: string }[]).map(({ name }) => name);
    const names = await namesOf();
    assertEquals(names.includes("pg_hba_file_rules"), true, names.join());
    assertEquals(await namesOf("--superuser-url", operator.service.books.url), []);
  });

  it("refuses the URL of a superuser that leads to another database", async () => {
    const other = new URL(operator.service.books.url);
    const own = other.pathname.slice(1);
    other.pathname = "/postgres";
    const refusal =
      `--superuser-url must lead to the database of the database URL, ${own}, on the same server; it leads to the database postgres`;
    refused(await audit("full", "--superuser-url", other.href), 2, refusal);
  });

  it("counts what the house allows, and refuses an entry without a reason or of a rule about rows", async () => {
    const entry = { rule: "catalog_is_release", row: "schema monitoring of *", reason: "our monitoring" };
    const file = await operator.write("allowed.json", JSON.stringify({ allowed: [entry] }));
    await sql()`create schema monitoring`;
    const found = async (...argv: string[]) => {
      const { json } = await audit("full", ...argv);
      return [itemsOf(json).some(({ row }) => `${row}`.includes("monitoring")), json.allowed];
    };
    assertEquals([await found(), await found("--allowed", file)], [[true, 0], [false, 1]]);
    await sql()`drop schema monitoring`;
    const { warned } = (await audit("full", "--allowed", file)).json as { warned: { row: string }[] };
    assertEquals(warned.some(({ row }) => row === "allowed schema monitoring of *"), true);
    for (
      const wrong of [{ reason: " " }, { rule: "account_is_sum" }, { rule: "change_is_approved" }, {
        owner: "x",
      }]
    ) {
      await operator.write("allowed.json", JSON.stringify({ allowed: [{ ...entry, ...wrong }] }));
      refused(await audit("full", "--allowed", file), 2, "--allowed must name a file");
    }
  });

  it("overwrites no file that an audit did not write", async () => {
    const file = operator.path("other.json");
    for (const content of ['{"heads":[]}', "null", "no JSON"]) {
      writeFileSync(file, content);
      refused(await audit("full", "--resume", file), 2, "other.json holds no results of an audit");
      assertEquals(readFileSync(file, "utf8"), content);
    }
  });

  it("says in production, and where operators sign, that it verified no approval without the operators' first keys", async () => {
    const line = "It did not verify the signatures of approvals. Give --operator-keys FILE";
    const says = async (env: Readonly<Record<string, string>> = {}) => {
      const { out } = await runGold(["audit", "full"], { env: { DATABASE_URL: url, ...env } });
      return out.split("\n")[0]!.includes(line);
    };
    const verified = async (...argv: string[]) => (await audit("full", ...argv)).json.verified_approvals;
    assertEquals([await says(), await verified()], [false, null]);
    await sql()`update gold.deployment set environment = 'production'`;
    assertEquals([await says(), await says({ OPERATOR_KEYS: "off" }), await verified()], [true, true, null]);
    await sql()`update gold.deployment set environment = 'sandbox'`;
    people = await Promise.all(
      [operator.url, operator.colleague.env.DATABASE_URL!].map((own) => newSignatory(connect(own))),
    );
    await registerRootKeys(sql(), ...people);
    file = await operator.write("operator_keys", await operatorKeysOf(...people));
    assertEquals([await says(), await says({ OPERATOR_KEYS: file })], [true, false]);
    assertEquals(await verified("--operator-keys", file), 0);
  });

  it("finds a deposit that two stolen logins credited with forged signatures, only with the operators' first keys", async () => {
    const [maker, checker] = await Promise.all(
      people.map(async (person) => ({ ...person, key: await forgeKey(person.key.publicKey) })),
    ) as [Signatory, Signatory];
    const content = { client_id: publicId, amount: "500000000", bank_reference: "OWN-1" };
    const proposal = await proposeSigned(maker, "deposit.record", content);
    await approveSigned(checker, proposal);
    const [account] =
      await sql()`select sar_available::text as credited from gold.account where client_id = ${client}`;
    assertEquals(account!.credited, "500001000");
    const found = async (...argv: string[]) =>
      itemsOf((await audit("full", ...argv)).json).filter(({ rule }) => /approv/.test(`${rule}`))
        .map(({ rule, row }) => `${rule} ${row}`);
    assertEquals(await found(), []);
    assertEquals(await found("--operator-keys", file), [`approval_is_signed proposal ${proposal.id}`]);
  });

  it("refuses files of another format, a share above 100%, and a login that may not read", async () => {
    const remote = ["full", "--superuser-url", "postgres://root@db.example/gold"];
    refused(await audit(...remote), 2, "--superuser-url reaches db.example over the network");
    const wrong = await operator.write("wrong.json", '{"items":[1]}');
    refused(await audit("full", "--heads", wrong), 2, "gold ledger heads");
    refused(await audit("full", "--keys", wrong), 2, "gold audit keys");
    refused(await audit("full", "--signatures", "101%"), 2, "--signatures must be all, none or a percentage");
    refused(await operator.gold("audit", "full"), 1, "permission denied");
  });
});
