import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Failure } from "../../failure.ts";
import { readName, readRange } from "./partner_terms.ts";

describe("readName()", () => {
  it("accepts up to 64 characters, the most that a certificate can hold", () => {
    for (const name of ["x".repeat(64), "\u{1f511}".repeat(64)]) assertEquals(readName({ name }), name);
    const { message, exit } = assertThrows(() => readName({ name: "x".repeat(65) }), Failure);
    assertEquals(exit, 2);
    assertStringIncludes(message, "at most 64 characters: the partner's certificate");
  });
});

describe("readRange()", () => {
  it("accepts an IPv4 or IPv6 address or range", () => {
    const table = {
      "203.0.113.7": "203.0.113.7/32",
      "203.0.113.0/24": "203.0.113.0/24",
      "0.0.0.0/0": "0.0.0.0/0",
      "2001:DB8::/32": "2001:db8::/32",
      "2001:db8:0:0::1": "2001:db8::1/128",
      "::/0": "::/0",
    };
    assertEquals(Object.keys(table).map(readRange), Object.values(table));
  });

  it("converts an IPv4-mapped IPv6 address to the IPv4 address", () => {
    const table = {
      "::ffff:203.0.113.7": "203.0.113.7/32",
      "::ffff:cb00:7107/128": "203.0.113.7/32",
      "::ffff:203.0.113.0/120": "203.0.113.0/24",
      "::ffff:0:0/96": "0.0.0.0/0",
    };
    assertEquals(Object.keys(table).map(readRange), Object.values(table));
  });

  it("rejects spellings that other programs could read as another address", () => {
    for (
      const text of [
        ...["127.1", "010.0.0.1", "0x7f.0.0.1", "2130706433", "1.2.3", "1.2.3.4.5", "1.2.3.256", "x", ""],
        ...[
          "fe80::1%eth0",
          "[::1]",
          "::1::",
          "1.2.3.4/33",
          "::1/129",
          "1.2.3.4/",
          "1.2.3.4/-1",
          "1.2.3.0/024",
        ],
        ...["1.2.3.0/24/24", " 1.2.3.4", "1.2.3.4\n", "1.2.3.0/255.255.255.0"],
      ]
    ) {
      assertStringIncludes(
        assertThrows(() => readRange(text), Failure).message,
        "--ip must be an IP address or a CIDR range",
      );
    }
  });

  it("rejects a range with host bits set, and names the correct range", () => {
    const table = {
      "203.0.113.7/24": "203.0.113.0/24",
      "10.0.0.1/0": "0.0.0.0/0",
      "2001:db8::1/64": "2001:db8::/64",
      "::ffff:203.0.113.7/120": "::ffff:cb00:7100/120",
      "::ffff:203.0.113.0/95": "::fffe:0:0/95",
    };
    for (const [text, range] of Object.entries(table)) {
      const { exit, message } = assertThrows(() => readRange(text), Failure);
      assertEquals(exit, 2);
      assertStringIncludes(message, `For the range, give ${range}.`);
    }
  });
});
