import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { readKeys } from "@gold-partner/server";
import { failureOf } from "./failure.ts";

describe("failureOf()", () => {
  const coded = (code: unknown) => failureOf(Object.assign(new Error("why"), { code }));

  it("tells a database that was never reached from one whose answer was lost", () => {
    for (const code of ["ECONNREFUSED", "CONNECT_TIMEOUT", "ENOTFOUND", "57P03", "28P01", "3D000"]) {
      assertEquals([coded(code).exit, coded(code).code], [3, "database_unreachable"], code);
    }
    for (const code of ["CONNECTION_CLOSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "57P01"]) {
      assertEquals([coded(code).exit, coded(code).code], [3, "outcome_unknown"], code);
      assertStringIncludes(coded(code).message, "may be done or not");
    }
  });

  it("exits with 3 where another session blocks a migration, so that a script tries again", () => {
    assertEquals([coded("migration_blocked").exit, coded("migration_blocked").code], [
      3,
      "migration_blocked",
    ]);
  });

  it("takes the number that a program ended with for no code of the database", () => {
    for (const status of [8, 22, 28, 57]) assertEquals(coded(status).code, "unexpected");
  });

  it("says of a key source that it gives none: wrong is the configuration's fault, away is not", async () => {
    const failed = failureOf(await readKeys("command:false").catch((error) => error));
    assertEquals([failed.exit, failed.code], [3, "key_source_failed"]);
    const malformed = failureOf(await readKeys("command:echo hunter2").catch((error) => error));
    assertEquals([malformed.exit, malformed.code], [2, "usage"]);
    assertStringIncludes(malformed.message, "command:echo hunter2 must give keys of 32 bytes");
  });
});
