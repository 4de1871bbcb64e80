import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { classifySqlError } from "./classify_sql_error.ts";

const codes = {
  transient: ["40001", "40P01"],
  lock_timeout: ["55P03"],
  connection_lost: ["57P01", "57P02", "57P03", "08006", "CONNECTION_CLOSED", "CONNECTION_ENDED", "EPIPE"],
  in_doubt: ["57014", "COMMIT_UNREPLICATED"],
  unavailable: ["53100", "53300", "58030", "25006", "NO_PRIMARY", "ECONNREFUSED", "CONNECT_TIMEOUT"],
  rejected: ["23505", "22P02", "P0001", "42501", "XX000"],
};

describe("classifySqlError()", () => {
  for (const [expected, each] of Object.entries(codes)) {
    it(`returns ${expected} for ${each.join(", ")}`, () => {
      for (const code of each) {
        assertEquals(classifySqlError(Object.assign(new Error(), { code })), expected, code);
      }
    });
  }

  it("returns rejected for an error without a code", () => {
    for (const other of [new Error("x"), {}, { code: 40001 }]) {
      assertEquals(classifySqlError(other), "rejected");
    }
  });

  it("distinguishes a network error while connecting from a network error during a statement", () => {
    const failure = (syscall: string) => Object.assign(new Error(), { code: "ETIMEDOUT", syscall });
    assertEquals(classifySqlError(failure("connect")), "unavailable");
    assertEquals(["read", "write"].map((call) => classifySqlError(failure(call))), [
      "connection_lost",
      "connection_lost",
    ]);
  });
});
