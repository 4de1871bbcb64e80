import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { checkDatabaseUrl, readDatabaseUrl } from "./database_url.ts";

const PASSWORD = "hunter2";
const remote = (query: string, host = "db.example") => `postgres://gold_api:${PASSWORD}@${host}/gold${query}`;

describe("checkDatabaseUrl()", () => {
  /**
   * Returns the error message for the URL, or undefined if the URL is accepted. By default, checks for
   * production.
   */
  function fault(url: string, environment: string | undefined = "production"): string | undefined {
    try {
      assertEquals(checkDatabaseUrl(url, environment), url);
      return undefined;
    } catch (error) {
      const { message } = error as Error;
      assert(!message.includes(PASSWORD), message);
      return message;
    }
  }

  it("requires sslmode=verify-full for a remote host, and says what to set", () => {
    for (const query of ["", "?sslmode=disable", "?sslmode=prefer", "?sslmode=require"]) {
      const message = fault(remote(query))!;
      assertStringIncludes(message, "db.example");
      assertStringIncludes(message, "add sslmode=verify-full, and sslrootcert=FILE");
    }
    for (const query of ["?sslmode=verify-full", "?sslmode=verify-full&sslrootcert=system"]) {
      assertEquals(fault(remote(query)), undefined);
    }
  });

  it("allows other modes only in the sandbox, and is strict if the environment is not set", () => {
    assertEquals(fault(remote(""), "sandbox"), undefined);
    for (const environment of ["", "Sandbox", "staging"]) assert(fault(remote(""), environment));
    let message = "";
    try {
      checkDatabaseUrl(remote(""), undefined);
    } catch (error) {
      message = (error as Error).message;
    }
    assertStringIncludes(message, "GOLD_ENV=sandbox");
  });

  it("treats a Unix socket, a loopback address and localhost as local, and all other hosts as remote", () => {
    const local = [
      "localhost",
      "LOCALHOST",
      "127.0.0.1",
      "127.9.8.7",
      "[::1]",
      "%2Frun%2Fpostgresql",
      "local%68ost",
    ];
    for (const host of local) assertEquals(fault(remote("", host)), undefined, host);
    const others = [
      ...[
        "localhost.",
        "localhost.example",
        "my-localhost",
        "127.0.0.1.example",
        "127.1",
        "127.0.0.01",
        "0.0.0.0",
      ],
      ...[
        "2130706433",
        "0x7f000001",
        "[::ffff:127.0.0.1]",
        "[::]",
        "[0:0:0:0:0:0:0:2]",
        "10.0.0.1",
        "run%2Fpostgresql",
      ],
    ];
    for (const host of others) assertStringIncludes(fault(remote("", host)) ?? "", "over the network", host);
  });

  it("rejects repeated, conflicting and invalid parameters, and URLs without exactly one host", () => {
    for (
      const query of [
        "?sslmode=verify-full&sslmode=disable",
        "?sslmode=verify-full&ssl=false",
        "?sslmode=verify-full&host=evil.example",
        "?sslmode=verify-full&hostaddr=192.0.2.1",
        "?sslmode=verify-full&port=1",
        "?sslmode=verify-full&sslcert=client.pem",
        "?sslmode=verify-ca",
        "?sslmode=no-verify",
        "?sslmode=VERIFY-FULL",
        "?sslmode=",
        "?SSLMODE=verify-full",
        "?sslmode=require&sslrootcert=system",
        "?sslrootcert=system",
      ]
    ) {
      assert(fault(remote(query)), query);
    }
    assertStringIncludes(fault(remote("?sslmode=verify-full", "a.example,b.example"))!, "several hosts");
    assertStringIncludes(fault("postgres:///gold?sslmode=verify-full")!, "names no host");
    for (const text of ["", " ", "gold", "mysql://x/y", "127.0.0.1:5432", "postgres://%zz/gold"]) {
      assert(fault(text, "sandbox"), text);
    }
  });

  describe("with sslrootcert", () => {
    const folder = mkdtempSync(join(tmpdir(), "gold-ca-"));
    const file = join(folder, "ca.pem");
    after(() => rmSync(folder, { recursive: true }));
    before(() => writeFileSync(file, "no certificate"));

    it("rejects a file that cannot be read or contains no valid certificate", () => {
      const of = (path: string) => fault(remote(`?sslmode=verify-full&sslrootcert=${path}`))!;
      assertStringIncludes(of(`${file}.gone`), "cannot be read (ENOENT)");
      assertStringIncludes(of(file), "must hold valid PEM certificates");
      const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
      writeFileSync(file, broken);
      assertStringIncludes(of(file), "must hold valid PEM certificates");
    });
  });
});

describe("readDatabaseUrl()", () => {
  it("decodes each part of the URL, and passes all parameters except those of TLS to the driver", () => {
    const url =
      "postgres://us%40er:p%2Fw@[2001:db8::1]:6000/go%20ld?sslmode=verify-full&application_name=a%26b";
    const { host, port, socketPath, user, password, database, sslMode, parameters } = readDatabaseUrl(url);
    assertEquals([host, port, socketPath], ["2001:db8::1", 6000, undefined]);
    assertEquals([user, password, database], ["us@er", "p/w", "go ld"]);
    assertEquals([sslMode, parameters], ["verify-full", "application_name=a%26b"]);
    assertEquals(readDatabaseUrl("postgres://u@%2Frun%2FPg/x").socketPath, "/run/Pg/.s.PGSQL.5432");
  });
});
