import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { parseOperatorKeys } from "@gold-partner/approvals";
import {
  approveSigned,
  newSignatory,
  operatorKeysOf,
  proposeSigned,
  registerRootKeys,
  type TestBooks,
  testBooks,
} from "@gold-partner/server/testing";
import { assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { isEverythingSigned, syncTrust, type TrustSync, writeTrustOnce } from "./trust_sync.ts";
import { ONE_CERTIFICATE, ONE_LIST, OTHER_CERTIFICATE, OTHER_LIST } from "./samples_fixture.ts";
import { TRUST_FILE } from "./trust_folder.ts";
import { dropLogins } from "../../../../tools/testing/drop_logins.ts";
import { until } from "../../../../tools/testing/until.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

const OTHER_ENDS_MS = Date.parse("2027-11-20T16:16:31Z");
const [ONE, OTHER] = ["1", "2"].map((digit) => digit.repeat(64));

describe("syncTrust()", () => {
  let books: TestBooks;
  let folder: string;
  let trustSync: TrustSync | undefined;
  const lines: Record<string, unknown>[] = [];
  let aheadMs = 0;
  before(async () => void (books = await testBooks()));
  after(() => books.stop());
  beforeEach(async () => {
    folder = temporaryFolder("gold-trust");
    aheadMs = 0;
    lines.length = 0;
    await books.sql`delete from gold.authority`;
    await add(ONE!, ONE_CERTIFICATE, ONE_LIST);
  });
  afterEach(async () => {
    await trustSync?.stop();
    trustSync = undefined;
  });

  const options = (databaseUrl = trustUrl()) => ({
    databaseUrl,
    folder,
    pollMs: 20,
    now: () => Date.parse("2027-01-01T00:00:00Z") + aheadMs,
    write: (line: string) => void lines.push(JSON.parse(line)),
  });
  const trustUrl = () => {
    const url = new URL(books.url);
    url.searchParams.set("role", "gold_trust");
    return url.href;
  };
  const keep = (url?: string) => trustSync = syncTrust(options(url));
  const raise = () => books.sql`update gold.registry_version set version = version + 1`;
  const add = async (fingerprint: string, certificate: string, list: string | null) => {
    await books.sql`
      insert into gold.authority (fingerprint, certificate, key_source, revocation_list, revocation_number, revocation_next_at)
      values (${fingerprint}, ${certificate}, 'file:/ca', ${list}, ${list === null ? 0 : 1}, ${
      list === null ? null : "2100-01-01T00:00:00Z"
    }::text::timestamptz)`;
    await raise();
  };
  const context = async () => {
    const text = await readFile(join(folder, TRUST_FILE), "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    const { trusted_ca, crl } = JSON.parse(text).resources[0].validation_context;
    return [trusted_ca.inline_string, crl?.inline_string];
  };
  const untilTrusted = async (expected: (string | undefined)[]) => {
    await until(async () => JSON.stringify(await context()) === JSON.stringify(expected), context);
  };
  const said = (event: string) => lines.filter((line) => line.event === event);
  const heard = async (event: string, times = 1) => {
    await until(() => said(event).length >= times, () => lines);
    assertEquals(said(event).length, times, event);
  };

  it("trusts only the CAs for which two people signed, and says so", async () => {
    const logins = [newLogin(), newLogin()];
    const connections = await Promise.all(logins.map(async (login) => {
      await books.sql.unsafe(`create role ${login} login password 'trust_sync' in role gold_operator`);
      await books.sql`select gold.note('operator.add', ${login}, '{}')`;
      const url = new URL(books.url);
      [url.username, url.password] = [login, "trust_sync"];
      return postgres(url.href, { max: 1, onnotice: () => {} });
    }));
    try {
      const [one, two] = await Promise.all(connections.map(newSignatory));
      assertEquals(await isEverythingSigned(trustUrl()), false);
      await registerRootKeys(books.sql, one!, two!);
      assertEquals(await isEverythingSigned(trustUrl()), false);
      const operatorKeys = await parseOperatorKeys(await operatorKeysOf(one!, two!));
      const proposal = await proposeSigned(one!, "registry.adopt", {
        rows: [[`authority ${ONE_CERTIFICATE}`, ""]],
      });
      await approveSigned(two!, proposal);
      assertEquals(await isEverythingSigned(trustUrl()), true);
      await add(OTHER!, OTHER_CERTIFICATE, OTHER_LIST);
      trustSync = syncTrust({ ...options(), operatorKeys });
      await untilTrusted([ONE_CERTIFICATE, ONE_LIST]);
      await heard("two people did not sign for a CA, so the proxy does not trust it");
      const superuser = books.connect("superuser", 1);
      await superuser`set session_replication_role = replica`;
      await superuser`update gold.proposal set approver_signature = proposer_signature where id = ${proposal.id}::uuid`;
      await raise();
      await heard("the database has no CA to trust, so the proxy keeps the last CAs and lists");
      await assertRejects(() => writeTrustOnce({ ...options(), operatorKeys }));
    } finally {
      for (const sql of connections) await sql.end({ timeout: 1 });
      await dropLogins(books.sql, ...logins);
    }
  });

  it("writes at once, and again when the list or the authorities change", async () => {
    keep();
    await untilTrusted([ONE_CERTIFICATE, ONE_LIST]);
    await add(OTHER!, OTHER_CERTIFICATE, OTHER_LIST);
    await untilTrusted([ONE_CERTIFICATE + OTHER_CERTIFICATE, ONE_LIST + OTHER_LIST]);
    await books.sql`update gold.authority set retired_at = clock_timestamp() where fingerprint = ${ONE!}`;
    await raise();
    await untilTrusted([OTHER_CERTIFICATE, OTHER_LIST]);
    await heard("trust written", 3);
    assertEquals(said("trust written").map((line) => line.authorities), [1, 2, 1]);
    assertEquals(Object.keys(said("trust written")[0]!), [
      "at",
      "level",
      "event",
      "authorities",
      "revocation_lists",
    ]);
  });

  it("treats a list without a finite end as overdue", async () => {
    await books.sql`update gold.authority set revocation_next_at = 'infinity'`;
    await raise();
    keep();
    await untilTrusted([ONE_CERTIFICATE, undefined]);
    await heard("an authority's revocation list is overdue");
  });

  it("reads the authorities only when the registry's version has changed", async () => {
    const login = books.connect("gold_trust", 1);
    const [first] = await login`select version::text, document from gold.read_trust(null)`;
    assertEquals(first!.document.authorities.length, 1);
    const [same] = await login`select document from gold.read_trust(${first!.version}::text::bigint)`;
    assertEquals(same!.document, null);
    await raise();
    const [next] = await login`select document from gold.read_trust(${first!.version}::text::bigint)`;
    assertEquals(next!.document, first!.document);
  });

  it("removes an authority when it expires, without a change in the database", async () => {
    await add(OTHER!, OTHER_CERTIFICATE, OTHER_LIST);
    keep();
    await untilTrusted([ONE_CERTIFICATE + OTHER_CERTIFICATE, ONE_LIST + OTHER_LIST]);
    aheadMs = OTHER_ENDS_MS - Date.parse("2027-01-01T00:00:00Z");
    await untilTrusted([ONE_CERTIFICATE, ONE_LIST]);
    await heard("an authority has expired");
  });

  it("writes no list while one CA has no list, logs this fault every minute, and logs its end", async () => {
    await add(OTHER!, OTHER_CERTIFICATE, null);
    keep();
    await untilTrusted([ONE_CERTIFICATE + OTHER_CERTIFICATE, undefined]);
    await heard("the proxy gets no revocation list at all");
    await pause(100);
    assertEquals(said("an authority has no revocation list").length, 1);
    aheadMs = 60_000;
    await heard("an authority has no revocation list", 2);
    await books.sql`
      update gold.authority set revocation_list = ${OTHER_LIST}, revocation_number = 1, revocation_next_at = '2100-01-01'
      where fingerprint = ${OTHER!}`;
    await raise();
    await untilTrusted([ONE_CERTIFICATE + OTHER_CERTIFICATE, ONE_LIST + OTHER_LIST]);
    await heard("all faults are resolved");
  });

  it("keeps the last files while the database has no trusted authority", async () => {
    keep();
    await untilTrusted([ONE_CERTIFICATE, ONE_LIST]);
    await books.sql`delete from gold.authority`;
    await raise();
    await heard("the database has no CA to trust, so the proxy keeps the last CAs and lists");
    assertEquals(await context(), [ONE_CERTIFICATE, ONE_LIST]);
  });

  it("keeps the last files while the database is unreachable, and updates them afterwards", async () => {
    const login = newLogin();
    await books.sql.unsafe(`create role ${login} login password 'trust_sync' in role gold_trust`);
    const url = new URL(books.url);
    [url.username, url.password] = [login, "trust_sync"];
    url.searchParams.set("role", "gold_trust");
    keep(url.href);
    await untilTrusted([ONE_CERTIFICATE, ONE_LIST]);
    await books.sql.unsafe(`alter role ${login} nologin`);
    await books
      .sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${login}`;
    await add(OTHER!, OTHER_CERTIFICATE, OTHER_LIST);
    // The line may come twice: once for the query that was cut, once for the refused login.
    await until(() =>
      said("the database cannot be read, so the proxy keeps the last CAs and lists").length > 0
    );
    assertEquals(await context(), [ONE_CERTIFICATE, ONE_LIST]);
    await books.sql.unsafe(`alter role ${login} login`);
    await untilTrusted([ONE_CERTIFICATE + OTHER_CERTIFICATE, ONE_LIST + OTHER_LIST]);
    await heard("all faults are resolved");
    await trustSync!.stop();
    await dropLogins(books.sql, login);
  });

  it("logs that the folder cannot be written, and keeps trying", async () => {
    const unwritable = join(folder, "file");
    trustSync = syncTrust({ ...options(), folder: join("/dev/null", unwritable) });
    await heard("the trust folder cannot be written, so the proxy keeps the last CAs and lists");
  });

  describe("writeTrustOnce()", () => {
    it("writes once, or throws and keeps the old files", async () => {
      await writeTrustOnce(options());
      assertEquals(await context(), [ONE_CERTIFICATE, ONE_LIST]);
      await assertRejects(() => writeTrustOnce(options("postgres://nobody@127.0.0.1:1/gold")), Error);
      await books.sql`delete from gold.authority`;
      await raise();
      await assertRejects(() => writeTrustOnce(options()), Error, "no trusted CA");
      assertEquals(await context(), [ONE_CERTIFICATE, ONE_LIST]);
    });
  });
});

const newLogin = () => `trust_sync_${randomUUID().slice(0, 8)}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
