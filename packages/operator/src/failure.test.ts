import { describe, it } from "node:test";
import { readKeys } from "@gold-partner/server";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { failureOf } from "./failure.ts";

describe("failureOf()", () => {
  const coded = (code: unknown) => failureOf(Object.assign(new Error("why"), { code }));

  it("reports database_unreachable if it cannot connect, and outcome_unknown if a connection breaks", () => {
    for (
      const code of ["ECONNREFUSED", "CONNECT_TIMEOUT", "NO_PRIMARY", "ENOTFOUND", "57P03", "3D000"]
    ) {
      assertEquals([coded(code).exit, coded(code).code], [3, "database_unreachable"], code);
    }
    for (const code of ["ENOENT", "EACCES", "EHOSTUNREACH", "ETIMEDOUT"]) {
      const { exit, code: reported } = failureOf(
        Object.assign(new Error("why"), { code, syscall: "connect" }),
      );
      assertEquals([exit, reported], [3, "database_unreachable"], code);
    }
    for (const code of ["CONNECTION_CLOSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "57P01"]) {
      assertEquals([coded(code).exit, coded(code).code], [3, "outcome_unknown"], code);
      assertStringIncludes(coded(code).message, "may or may not have been made");
    }
  });

  it("reports login_refused if the database refuses the login, and not that it cannot be reached", () => {
    for (const code of ["28P01", "28000"]) {
      assertEquals([coded(code).exit, coded(code).code], [2, "login_refused"], code);
    }
  });

  it("names the table and the values of a record that already exists", () => {
    const unique = { code: "23505", table_name: "signing_key" };
    const messageOf = (facts: object) => failureOf(Object.assign(new Error("why"), unique, facts)).message;
    assertEquals(
      messageOf({ detail: "Key (partner_id, thumbprint)=(7, 5cT) already exists." }),
      "The table signing_key already has a record with partner_id, thumbprint = 7, 5cT.",
    );
    assertEquals(messageOf({}), "The table signing_key already has a record with this value.");
  });

  it("exits with 3 if another session blocks a migration, so that a script can retry", () => {
    assertEquals([coded("migration_blocked").exit, coded("migration_blocked").code], [
      3,
      "migration_blocked",
    ]);
  });

  it("exits with 3 if an index was not built, and with 1 if a migration was refused", () => {
    assertEquals(coded("index_not_built").exit, 3);
    assertEquals(coded("migration_refused").exit, 1);
    assertEquals(coded("migration_refused").code, "migration_refused");
  });

  it("does not treat the exit status of a child process as a database error code", () => {
    for (const status of [8, 22, 28, 57]) assertEquals(coded(status).code, "unexpected");
  });

  it("exits with 3 if a key source fails, and with 2 if its keys are malformed", async () => {
    const failed = failureOf(await readKeys("command:false").catch((error) => error));
    assertEquals([failed.exit, failed.code], [3, "key_source_failed"]);
    const malformed = failureOf(await readKeys("command:echo hunter2").catch((error) => error));
    assertEquals([malformed.exit, malformed.code], [2, "usage"]);
    assertStringIncludes(malformed.message, "command:echo hunter2 must contain 32-byte keys");
  });
});
