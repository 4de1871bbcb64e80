import { hostBytes } from "@gold-partner/protocol";
import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Refusal } from "../http/refusal.ts";
import { readCursor, writeCursor } from "./cursor.ts";

const scope = { list: "order", clientId: "sbx_0123456789abcdefghij" };
const encode = (text: string) => hostBytes.base64url(hostBytes.utf8(text));

function assertRefused(cursor: string): void {
  const refusal = assertThrows(() => readCursor(scope, cursor), Refusal) as Refusal;
  assertEquals(refusal.code, "invalid_request", cursor);
  assertEquals(refusal.errors.map((error) => "name" in error && error.name), ["cursor"], cursor);
}

describe("a cursor", () => {
  it("decodes to the number that it was created from, and is base64url", () => {
    for (const sequence of ["1", "42", "999999999999999999"]) {
      const cursor = writeCursor(scope, sequence);
      assertMatch(cursor, /^[A-Za-z0-9_-]+$/);
      assertEquals(readCursor(scope, cursor), sequence);
    }
  });

  it("is rejected for another list or another partner", () => {
    assertRefused(writeCursor({ ...scope, list: "funding" }, "1"));
    assertRefused(writeCursor({ ...scope, clientId: "sbx_0123456789abcdefghik" }, "1"));
  });

  it("is rejected if writeCursor() did not create it, even if it decodes to a number", () => {
    const cursor = writeCursor(scope, "7");
    const forms = [
      "",
      "x",
      "****",
      "ü",
      " ",
      `${cursor}=`,
      `${cursor} `,
      ` ${cursor}`,
      cursor.slice(1),
      cursor.slice(0, -1),
    ];
    const numbers = ["", "0", "-1", "07", "+7", "7.0", "1e3", "0x7", "1000000000000000000", "7'", "seven"];
    for (const form of forms) assertRefused(form);
    for (const number of numbers) assertRefused(encode(`order.${scope.clientId}.${number}`));
    assertRefused(encode(`order.${scope.clientId}`));
    assertRefused(encode(`x.order.${scope.clientId}.7`));
  });
});
