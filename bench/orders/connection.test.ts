import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { readAnswer } from "./connection.ts";

const REPLY =
  "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\nContent-Length: 4\r\nDate: now\r\n\r\n{..}";

describe("readAnswer()", () => {
  it("returns the status and body of a complete reply, and undefined for an incomplete reply", () => {
    assertEquals(readAnswer(REPLY), { status: 201, body: "{..}" });
    for (let end = 0; end < REPLY.length; end++) {
      assertEquals(readAnswer(REPLY.slice(0, end)), undefined, `${end}`);
    }
  });
  it("reads a Content-Length in the last header line, and an empty body", () => {
    assertEquals(readAnswer("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"), {
      status: 404,
      body: "",
    });
  });
  it("rejects a reply without Content-Length", () => {
    assertThrows(
      () => readAnswer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
      Error,
      "Content-Length",
    );
  });
});
