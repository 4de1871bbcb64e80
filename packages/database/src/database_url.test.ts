import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { checkDatabaseUrl, readDatabaseUrl, withLogin } from "./database_url.ts";

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

  it("rejects repeated, conflicting and invalid parameters, and URLs without a host", () => {
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
    assertStringIncludes(fault("postgres:///gold?sslmode=verify-full")!, "names no host");
    for (const text of ["", " ", "gold", "mysql://x/y", "127.0.0.1:5432", "postgres://%zz/gold"]) {
      assert(fault(text, "sandbox"), text);
    }
  });

  it("accepts several hosts only with target_session_attrs=primary", () => {
    const secure = "?sslmode=verify-full";
    const several = (hosts: string, query = `${secure}&target_session_attrs=primary`) =>
      fault(remote(query, hosts)) ?? "";
    for (const hosts of ["a.example:5432,b.example:6000,c.example", "[::1]:1,[2001:db8::1]", "10.0.0.1"]) {
      assertEquals(several(hosts), "");
    }
    assertStringIncludes(several("a.example,b.example", secure), "add target_session_attrs=primary");
    for (const target of ["any", "read-write", "standby", "prefer-standby", "PRIMARY", ""]) {
      const query = `${secure}&target_session_attrs=${target}`;
      assertStringIncludes(several("a.example,b.example", query), `target_session_attrs=${target}: only`);
      assertStringIncludes(several("a.example", query), `target_session_attrs=${target}: only`);
    }
    assertStringIncludes(
      several("a.example", `${secure}&target_session_attrs=primary&target_session_attrs=primary`),
      "more than once",
    );
  });

  it("names the malformed host of several by its number, and never shows it", () => {
    const several = (hosts: string) => fault(remote("?target_session_attrs=primary", hosts), "sandbox") ?? "";
    for (
      const hosts of [
        ",b",
        "a,",
        "a,,b",
        "a:x,b",
        "a,b:65536",
        "a,b:-1",
        "a,[::1",
        "a,::1",
        "a, b",
        "a,b:1:2",
      ]
    ) {
      const number = hosts.split(",").findIndex((host) => !/^a$|^b$/.test(host)) + 1;
      assertStringIncludes(several(hosts), `number ${number} is not HOST or HOST:PORT`, hosts);
    }
    // The password has an unescaped slash, so the parser takes a part of it for a host.
    const message = fault(`postgres://u:${PASSWORD}/x@a.example,b.example/gold`, "sandbox")!;
    assertStringIncludes(message, "must be a postgres:// URL");
    assertStringIncludes(fault(`postgres://u,${PASSWORD}:/x@a/gold`, "sandbox")!, "several hosts");
    assertStringIncludes(several("a.example,A.example:5432"), "names the host a.example:5432 more than once");
    assertStringIncludes(several("a,%2Frun%2Fpostgresql"), "a Unix socket among several hosts");
    assertStringIncludes(several("a%2Cb"), "has %2C in a host");
    assertStringIncludes(several("a,b:0"), "port 0");
  });

  it("requires sslmode=verify-full if one of several hosts is remote", () => {
    const query = "?target_session_attrs=primary";
    assertEquals(fault(remote(query, "127.0.0.1:1,localhost:2,[::1]")), undefined);
    assertStringIncludes(
      fault(remote(query, "127.0.0.1:1,b.example"))!,
      "reaches b.example over the network",
    );
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

describe("withLogin()", () => {
  it("keeps hosts and parameters, and escapes login and password", () => {
    const rest = "n1.example:6001,[::1]/gold?target_session_attrs=primary&sslmode=verify-full";
    for (const login of ["", "gold@", "gold:secret@"]) {
      const url = `postgres://${login}${rest}`;
      assertEquals(withLogin(url, "a@b", "p/w:"), `postgres://a%40b:p%2Fw%3A@${rest}`);
      assertEquals(withLogin(url, "amal", ""), `postgres://amal@${rest}`);
    }
  });
});

describe("readDatabaseUrl()", () => {
  it("reads each host with its own port, and keeps target_session_attrs from the driver", () => {
    const { hosts, primary, user, password, database, parameters } = readDatabaseUrl(
      "postgresql://us%2Cer:p%40,w@N1.example:6001,n2.example,[::1]:6003/gold?target_session_attrs=primary&a=b",
    );
    assertEquals(hosts.map(({ host, port }) => [host, port]), [
      ["n1.example", 6001],
      ["n2.example", 5432],
      ["::1", 6003],
    ]);
    assertEquals([primary, user, password, database, parameters], [true, "us,er", "p@,w", "gold", "a=b"]);
  });

  it("decodes each part of the URL, and passes all parameters except those of TLS to the driver", () => {
    const url =
      "postgres://us%40er:p%2Fw@[2001:db8::1]:6000/go%20ld?sslmode=verify-full&application_name=a%26b";
    const { hosts, primary, user, password, database, sslMode, parameters } = readDatabaseUrl(url);
    assertEquals(hosts, [{ host: "2001:db8::1", port: 6000, socketPath: undefined }]);
    assertEquals(primary, false);
    assertEquals([user, password, database], ["us@er", "p/w", "go ld"]);
    assertEquals([sslMode, parameters], ["verify-full", "application_name=a%26b"]);
    assertEquals(readDatabaseUrl("postgres://u@%2Frun%2FPg/x").hosts, [
      { host: "localhost", port: 5432, socketPath: "/run/Pg/.s.PGSQL.5432" },
    ]);
  });
});
