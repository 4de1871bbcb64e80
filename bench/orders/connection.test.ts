import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { readAnswer } from "./connection.ts";

const REPLY =
  "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\nContent-Length: 4\r\nDate: now\r\n\r\n{..}";

describe("readAnswer()", () => {
  it("gives status and body of a whole reply, and waits for the rest of any part of one", () => {
    assertEquals(readAnswer(REPLY), { status: 201, body: "{..}" });
    for (let end = 0; end < REPLY.length; end++) {
      assertEquals(readAnswer(REPLY.slice(0, end)), undefined, `${end}`);
    }
  });
  it("reads a length that stands last and a body that is empty", () => {
    assertEquals(readAnswer("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"), {
      status: 404,
      body: "",
    });
  });
  it("refuses a reply whose end it cannot tell", () => {
    assertThrows(
      () => readAnswer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
      Error,
      "Content-Length",
    );
  });
});
