import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
import { assertEquals, assertMatch } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { until } from "../../../../tools/testing/until.ts";
import { type Allowed, Findings } from "../findings.ts";
import { readAllowed } from "../outside_files.ts";
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

  async function compare(url = server.superuserUrl(), allowed: readonly Allowed[] = []): Promise<Findings> {
    const findings = new Findings(allowed);
    const sql = openAuditConnection(url);
    await compareSettings(sql, findings).finally(() => sql.end({ timeout: 1 }));
    return findings;
  }
  const found = async () => (await compare()).kept.map(({ rule, row, found }) => `${rule}: ${row}: ${found}`);
  const warned = async () => (await compare()).warnings.map(({ row, found }) => `${row}: ${found}`);
  /** Sets the setting for the whole server while `use` runs. */
  async function during(setting: string, value: string, use: () => Promise<unknown>): Promise<void> {
    await admin.unsafe(`alter system set ${setting} = ${value}`);
    await admin`select pg_reload_conf()`;
    await use();
    await admin.unsafe(`alter system reset ${setting}`);
    await admin`select pg_reload_conf()`;
  }

  /** Appends lines to a file of the server while `use` runs. */
  async function withLines<Seen>(
    name: string,
    lines: readonly string[],
    use: () => Promise<Seen>,
  ): Promise<Seen> {
    const file = join(dataDir, "cluster", name);
    const before = readFileSync(file, "utf8");
    writeFileSync(file, [before, ...lines, ""].join("\n"));
    return await use().finally(() => writeFileSync(file, before));
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
    await withLines("pg_hba.conf", ["host all gold_api 192.0.2.0/24 trust"], async () => {
      const lines = (await found()).map((text) => text.replace(/line \d+/, "line N"));
      assertEquals(lines, ["setting_is_safe: pg_hba.conf line N: host gold_api trust"]);
    });
  });

  it("are a finding where another system decides who connects; secrets of the line are not shown", async () => {
    const lines = {
      "host all ident": "host all all 127.0.0.1/32 ident",
      "host all pam pamservice=gold": "host all all 127.0.0.1/32 pam pamservice=gold",
      "host all ldap ldapserver=ldap.example ldapbasedn=dc=x":
        "host all all 127.0.0.1/32 ldap ldapserver=ldap.example ldapbasedn=dc=x ldapbindpasswd=hidden",
      "host all radius radiusservers=127.0.0.1":
        "host all all 127.0.0.1/32 radius radiusservers=127.0.0.1 radiussecrets=hidden",
    };
    const others = ["local all all reject", "local all all md5", "host gold gold_api ::1/128 password"];
    await withLines(
      "pg_hba.conf",
      [...Object.values(lines), ...others, "local all all peer map=m"],
      async () => {
        // A build without PAM or LDAP cannot load their lines.
        const known =
          await admin`select distinct auth_method as name from pg_hba_file_rules() where error is null`;
        const expected = Object.keys(lines).filter((line) => known.some(({ name }) => line.includes(name)));
        assertEquals(expected.length >= 2, true);
        assertEquals((await found()).map((line) => line.replace(/^.*line \d+: /, "")), expected);
      },
    );
    await withLines("pg_hba.conf", ["host all all 127.0.0.1/32 unknown"], async () => {
      assertMatch((await warned())[0]!, /^pg_hba.conf line \d+: invalid authentication method "unknown"$/);
    });
  });

  it("are a warning where TLS is off and other machines may connect", async () => {
    const local = [
      "host all all 127.0.0.0/8 md5",
      "host all all ::1/128 md5",
      "host all all samehost md5",
      "host all all localhost md5",
      "host all all all reject",
    ];
    const warnedWith = (line: string) =>
      withLines(
        "pg_hba.conf",
        [...local, line],
        async () => (await warned()).map((text) => text.replace(/line \d+/, "line N")),
      );
    assertEquals(await warnedWith(""), []);
    for (
      const [line, shown] of [
        ["host all all 127.0.0.1/0 md5", "host all 127.0.0.1"],
        ["host all gold_api all md5", "host gold_api all"],
        ["hostnossl all all samenet md5", "hostnossl all samenet"],
        ["host all all db.example md5", "host all db.example"],
      ] as const
    ) assertEquals(await warnedWith(line), [`setting ssl: off, and line N is ${shown}`]);
  });

  it("are a finding where a map lets another name log in", async () => {
    const lines = ["office postgres postgres", "office anna gold_api", "office /^(.*)$ \\1"];
    const whole = ["all all", "+gold_owner +gold_owner", "/gold /gold"].map((names) => `any ${names}`);
    await withLines("pg_ident.conf", lines, async () => {
      assertEquals(await found(), [
        "setting_is_safe: pg_ident.conf map office: anna as gold_api",
        "setting_is_safe: pg_ident.conf map office: /^(.*)$ as \\1",
      ]);
    });
    await withLines("pg_ident.conf", whole, async () => assertEquals((await found()).length, whole.length));
  });

  it("are warnings where Postgres loads or runs other code, or writes, policies or triggers are off", async () => {
    for (
      const [setting, value] of [
        ["dynamic_library_path", "'/tmp:$libdir'"],
        ["archive_library", "'other'"],
        ["archive_command", "'cp %p /backup/%f'"],
        ["oauth_validator_libraries", "'other'"],
        ["event_triggers", "off"],
        ["row_security", "off"],
        ["default_transaction_read_only", "on"],
      ] as const
    ) {
      if ((await admin`select from pg_settings where name = ${setting}`).length === 0) continue;
      const line = `setting ${setting}: ${value.replaceAll("'", "")}`;
      await during(setting, value, () => until(async () => (await warned()).includes(line)));
    }
    await until(async () => (await warned()).length === 0);
  });

  it("are findings or warnings while they wait in a file for a reload or a restart", async () => {
    const waiting = async (setting: string, value: string) => {
      await admin.unsafe(`alter system set ${setting} = ${value}`);
      const { kept, warnings } = await compare();
      await admin.unsafe(`alter system reset ${setting}`);
      return [...kept, ...warnings].map(({ row, found }) => `${row}: ${found}`)
        .filter((line) => line.startsWith("pg_file_settings"));
    };
    for (
      const [setting, value] of [
        ["fsync", "no"],
        ["session_replication_role", "replica"],
        ["synchronous_commit", "local"],
        ["lock_timeout", "'1s'"],
        ["jit_provider", "other"],
        ["archive_command", "'cp %p /backup/%f'"],
        ["shared_preload_libraries", "'other'"],
        ["default_transaction_read_only", "true"],
      ] as const
    ) {
      const line = `pg_file_settings ${setting}: ${value.replaceAll("'", "")}`;
      assertEquals([setting, await waiting(setting, value)], [setting, [line]]);
    }
    assertEquals(await waiting("max_worker_processes", "9"), [
      "pg_file_settings max_worker_processes: setting could not be applied",
    ]);
    for (
      const [setting, value] of [["fsync", "yes"], ["lock_timeout", "0"], ["work_mem", "'5MB'"]] as const
    ) {
      assertEquals([setting, await waiting(setting, value)], [setting, []]);
    }
  });

  it("may have the archive_command of deploy/patroni, as docs/audit.md allows it, and no other", async () => {
    const page = readFileSync(new URL("../../../../docs/audit.md", import.meta.url), "utf8");
    const [, example] = page.split("```json\n").slice(1).map((text) => text.split("```")[0]!);
    const allowed = readAllowed(example!)!;
    const parameters = readFileSync(
      new URL("../../../../deploy/patroni/backup.yaml", import.meta.url),
      "utf8",
    );
    const [, folded] = /^ *archive_command: >-\n((?: {6}.+\n)+)/m.exec(parameters)!;
    const command = folded!.trim().replaceAll(/\s+/g, " ");
    const archiving = async () =>
      (await compare(server.superuserUrl(), allowed)).warnings
        .filter(({ row }) => row.includes("archive_command")).map(({ found }) => found);
    await during("archive_command", `'${command}'`, async () => {
      await until(async () => (await archiving()).length === 0);
    });
    await during("archive_command", `'${command}; curl evil.example'`, async () => {
      await until(async () => `${await archiving()}` === `${command}; curl evil.example`);
    });
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
    const [{ has_oauth }] = await admin`
      select count(*) > 0 as has_oauth from pg_settings where name = 'oauth_validator_libraries'` as [
      { has_oauth: boolean },
    ];
    assertEquals(skipped.map(({ name }) => name), [
      "setting dynamic_library_path",
      "setting jit_provider",
      ...(has_oauth ? ["setting oauth_validator_libraries"] : []),
      "setting shared_preload_libraries",
      "setting session_preload_libraries",
      "pg_file_settings",
      "pg_hba_file_rules",
      "pg_ident_file_mappings",
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
