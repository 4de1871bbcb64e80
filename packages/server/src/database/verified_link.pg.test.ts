import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { after, afterEach, before, describe, it } from "node:test";
import { startPostgres } from "@gold-partner/dev/postgres";
import { openDatabase } from "@gold-partner/database";
import { assertEquals } from "@std/assert";
import { createTestAuthority, type Issued } from "../../testing/certificates.ts";
import { connect } from "./pools.ts";
import type { Sql } from "postgres";
import type { Pool } from "./query.ts";

const NOBODY = 65_534;
const VARIABLES = ["NODE_TLS_REJECT_UNAUTHORIZED", "PGSSLMODE", "PGSSL", "PGHOST", "PGSSLROOTCERT"];

describe("a database connection with sslmode=verify-full", () => {
  const authority = createTestAuthority();
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "gold-link-"));
  const file = (name: string) => join(folder, name);
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let admin: Sql;

  before(async () => {
    chmodSync(folder, 0o755);
    writeFileSync(file("ca.pem"), authority.ca);
    server = await startPostgres({ dataDir: file("data") });
    admin = openDatabase(server.superuserUrl(), { onnotice: () => {} });
    present(authority.issue(["localhost"]));
    await admin.unsafe(`alter system set ssl_cert_file = '${file("server.pem")}'`);
    await admin.unsafe(`alter system set ssl_key_file = '${file("server.key")}'`);
  });
  afterEach(() => VARIABLES.forEach((name) => delete process.env[name]));
  after(async () => {
    await admin.end();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function present({ cert, key }: Issued): void {
    writeFileSync(file("server.pem"), cert, { mode: 0o644 });
    writeFileSync(file("server.key"), key, { mode: 0o600 });
    if (process.getuid?.() === 0) chownSync(file("server.key"), NOBODY, NOBODY);
  }
  /** Reloads the settings and waits until new connections use them. */
  async function reload(ssl: "on" | "off"): Promise<void> {
    await admin.unsafe(`alter system set ssl = ${ssl}`);
    const [{ at } = { at: "" }] = await admin`select pg_conf_load_time()::text as at, pg_reload_conf()`;
    for (;;) {
      const fresh = openDatabase(server.superuserUrl(), { onnotice: () => {} });
      const [row] = await fresh`select pg_conf_load_time()::text as at`;
      await fresh.end();
      if (row!.at !== at) return;
      await sleep(20);
    }
  }
  const urlOf = (host: string, query = `sslmode=verify-full&sslrootcert=${file("ca.pem")}`) => {
    const { username, password, port, pathname } = new URL(server.superuserUrl());
    const hosts = host.split(",").map((one) => `${one}:${port}`);
    return `postgres://${username}:${password}@${hosts}${pathname}?${query}`;
  };
  async function outcome(sql: Pool): Promise<"encrypted" | "clear" | "refused"> {
    try {
      const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
      return row!.ssl ? "encrypted" : "clear";
    } catch {
      return "refused";
    } finally {
      await sql.end({ timeout: 0 });
    }
  }
  /**
   * Returns the outcome of a connection through the service's pool. Throws if the command line `gold` has
   * another outcome. The pool uses its own sockets, which close after a long silence; `gold` uses the
   * driver's.
   */
  async function outcomes(host: string, query?: string): Promise<string> {
    const url = urlOf(host, query);
    const each = [
      await outcome(connect(url, 1)),
      await outcome(openDatabase(url, { connect_timeout: 5 })),
    ];
    assertEquals(each[0], each[1]);
    return each[0]!;
  }

  it("accepts only a valid certificate for the host name or address in the URL", async () => {
    const cases: readonly (readonly [string, string, Issued, string])[] = [
      ["the name", "localhost", authority.issue(["localhost"]), "encrypted"],
      ["the name in capitals", "LOCALHOST", authority.issue(["localhost"]), "encrypted"],
      ["another name", "localhost", authority.issue(["database.example"]), "refused"],
      ["an address instead of the name", "localhost", authority.issue(["127.0.0.1"]), "refused"],
      ["the address", "127.0.0.1", authority.issue(["127.0.0.1"]), "encrypted"],
      ["another address", "127.0.0.1", authority.issue(["127.0.0.2"]), "refused"],
      ["localhost instead of the address", "127.0.0.1", authority.issue(["localhost"]), "refused"],
      ["a name only in the subject", "localhost", authority.issueByCommonName("localhost"), "refused"],
      ["an address only in the subject", "127.0.0.1", authority.issueByCommonName("127.0.0.1"), "refused"],
      ["an expired certificate", "localhost", authority.issue(["localhost"], -2, -1), "refused"],
      ["a certificate valid from tomorrow", "localhost", authority.issue(["localhost"], 1, 2), "refused"],
      ["an unknown authority", "localhost", createTestAuthority().issue(["localhost"]), "refused"],
    ];
    for (const [name, host, certificate, expected] of cases) {
      present(certificate);
      await reload("on");
      assertEquals([name, await outcomes(host)], [name, expected]);
    }
  });

  it("checks the certificate of each of several hosts against that host", async () => {
    const query = `sslmode=verify-full&sslrootcert=${file("ca.pem")}&target_session_attrs=primary`;
    const cases = [[["localhost"], "encrypted"], [["database.example"], "refused"]] as const;
    for (const [names, expected] of cases) {
      present(authority.issue([...names]));
      await reload("on");
      assertEquals(await outcomes("127.0.0.1,localhost", query), expected);
    }
    // While a connection is open, the primary is known and is not searched again.
    present(authority.issue(["localhost"]));
    await reload("on");
    const url = urlOf("127.0.0.1,localhost", query);
    const open = openDatabase(url);
    await open`select 1`;
    present(authority.issue(["127.0.0.1"]));
    await reload("on");
    assertEquals(await outcome(connect(url, 1)), "refused");
    await open.end();
  });

  it("with sslrootcert=system or no CA file, trusts the runtime's CAs and refuses the test CA", async () => {
    present(authority.issue(["localhost"]));
    await reload("on");
    for (const query of ["sslmode=verify-full", "sslmode=verify-full&sslrootcert=system"]) {
      assertEquals(await outcomes("localhost", query), "refused");
    }
  });

  it("is not weakened by environment variables", async () => {
    present(createTestAuthority().issue(["localhost"]));
    await reload("on");
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    for (const name of ["PGSSLMODE", "PGSSL"]) process.env[name] = "disable";
    process.env.PGHOST = "127.0.0.1";
    assertEquals(await outcomes("localhost"), "refused");
  });

  it("refuses a server without TLS, also with sslmode=require, but not with prefer", async () => {
    await reload("off");
    assertEquals(await outcomes("localhost"), "refused");
    assertEquals(await outcomes("localhost", "sslmode=require"), "refused");
    assertEquals(await outcomes("localhost", "sslmode=prefer"), "clear");
  });

  it("checks no certificate with sslmode=require or prefer, and does not encrypt without sslmode", async () => {
    present(createTestAuthority().issue(["database.example"]));
    await reload("on");
    assertEquals(await outcomes("localhost", "sslmode=require"), "encrypted");
    assertEquals(await outcomes("localhost", "sslmode=prefer"), "encrypted");
    assertEquals(await outcomes("localhost", ""), "clear");
  });

  it("reaches a Unix socket by the encoded path of its folder", async () => {
    const { port, username, password } = new URL(server.superuserUrl());
    const url = `postgres://${username}:${password}@${
      encodeURIComponent(server.socketDir!)
    }:${port}/postgres`;
    assertEquals(await outcome(openDatabase(url)), "clear");
    assertEquals(await outcome(connect(url, 1)), "clear");
  });
});
