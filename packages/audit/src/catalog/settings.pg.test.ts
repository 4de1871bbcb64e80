import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  accountOfNew,
  findPostmaster,
  launch,
  startPostgres,
  stopPostmaster,
} from "@gold-partner/dev/postgres";
import { assertEquals } from "../../../../tools/testing/assert.ts";
import postgres, { type Sql } from "postgres";
import { until } from "../../../../tools/testing/until.ts";
import { Findings } from "../findings.ts";
import { openAuditConnection } from "../snapshot.ts";
import { compareSettings } from "./settings.ts";

describe("the settings", () => {
  let dataDir: string;
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let admin: Sql;
  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "gold-settings-"));
    server = await startPostgres({ dataDir });
    admin = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} });
  });
  after(async () => {
    await admin?.end({ timeout: 1 });
    const cluster = join(dataDir, "cluster");
    const running = findPostmaster(cluster);
    if (running) await stopPostmaster(cluster, running.pid, false);
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function compare(url = server.superuserUrl()): Promise<Findings> {
    const findings = new Findings();
    const sql = openAuditConnection(url);
    await compareSettings(sql, findings).finally(() => sql.end({ timeout: 1 }));
    return findings;
  }
  const found = async () => (await compare()).kept.map(({ rule, row, found }) => `${rule}: ${row}: ${found}`);
  const warned = async () => (await compare()).warnings.map(({ row, found }) => `${row}: ${found}`);
  /** Sets the setting for the whole server while `use` runs. */
  async function during(setting: string, value: string, use: () => Promise<void>): Promise<void> {
    await admin.unsafe(`alter system set ${setting} = ${value}`);
    await admin`select pg_reload_conf()`;
    await use();
    await admin.unsafe(`alter system reset ${setting}`);
    await admin`select pg_reload_conf()`;
  }

  it("of a new server are safe", async () => {
    const { kept, warnings, skipped } = await compare();
    assertEquals([kept, warnings, skipped], [[], [], []]);
  });

  it("are findings where commits can be lost or triggers do not fire", async () => {
    for (
      const [setting, value] of [
        ["synchronous_commit", "off"],
        ["session_replication_role", "replica"],
        ["zero_damaged_pages", "on"],
        ["ignore_checksum_failure", "on"],
      ] as const
    ) {
      await admin.unsafe(`alter database postgres set ${setting} = ${value}`);
      assertEquals(await found(), [`setting_is_safe: setting ${setting}: ${value}`]);
      await admin.unsafe(`alter database postgres reset ${setting}`);
    }
  });

  it("are a finding where pg_hba.conf trusts a login", async () => {
    appendFileSync(join(dataDir, "cluster/pg_hba.conf"), "\nhost all gold_api 192.0.2.0/24 trust\n");
    const [line] = (await found()).map((text) => text.replace(/line \d+/, "line N"));
    assertEquals(line, "setting_is_safe: pg_hba.conf line N: host gold_api trust");
  });

  it("are warnings where a timeout can stop trading, for all, for a login or for a database", async () => {
    for (const [setting, value] of [["lock_timeout", "1"], ["idle_session_timeout", "'10s'"]] as const) {
      await during(setting, value, async () => {
        await until(async () => (await warned()).some((text) => text.startsWith(`setting ${setting}: `)));
      });
    }
    await admin.unsafe("create role gold_api; alter role gold_api set statement_timeout = '9s'");
    await admin.unsafe("alter database postgres set lock_timeout = 1999");
    await admin.unsafe("create role patient; alter role patient set statement_timeout = '1min'");
    assertEquals((await warned()).sort(), [
      "role every role setting lock_timeout: 1999",
      "role gold_api setting statement_timeout: 9s",
      "setting lock_timeout: 1999",
    ]);
    await admin.unsafe(
      "alter database postgres reset lock_timeout; alter role gold_api reset statement_timeout",
    );
  });

  it("are a warning where a library is loaded that is no part of Postgres's own measurements", async () => {
    await during("session_preload_libraries", "plpgsql", async () => {
      await until(async () => `${await warned()}` === "setting session_preload_libraries: plpgsql");
    });
  });

  it("that the login may not read are listed as not looked at", async () => {
    await admin.unsafe("create role reader login password 'reader' in role pg_read_all_data");
    const url = new URL(server.superuserUrl());
    [url.username, url.password] = ["reader", "reader"];
    const { skipped } = await compare(url.href);
    assertEquals(skipped.map(({ name }) => name), [
      "setting shared_preload_libraries",
      "setting session_preload_libraries",
      "pg_hba_file_rules",
    ]);
  });

  it("are findings on a server that does not flush its files", async () => {
    // Postgres keeps the command line of its last start in this file. startPostgres() always sets fsync=on.
    const options = readFileSync(join(dataDir, "cluster/postmaster.opts"), "utf8").trimEnd();
    await admin.end({ timeout: 1 });
    await server.stop();
    const [command, ...args] = options.replaceAll(/(fsync|full_page_writes)=on/g, "$1=off").slice(0, -1)
      .split(/ "|" "/);
    const logFd = openSync(join(dataDir, "log"), "w");
    launch({ account: accountOfNew(), command: command!, args, folders: [dataDir], logFd });
    closeSync(logFd);
    await until(() => compare().then(() => true, () => false));
    const lines = (await found()).filter((line) => !line.includes("pg_hba.conf"));
    assertEquals(lines, [
      "setting_is_safe: setting fsync: off",
      "setting_is_safe: setting full_page_writes: off",
    ]);
  });
});
