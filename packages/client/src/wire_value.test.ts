import { describe, it } from "node:test";
import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Quantity } from "./quantity.ts";
import { toPlain } from "./plain_value_fixture.ts";
import type { Order } from "./api_types.ts";
import { GoldError } from "./gold_error.ts";
import { readValue, writeForm, writeRequest } from "./wire_value.ts";

const namesOfNumbers = (value: unknown, name = ""): string[] => {
  if (typeof value === "number") return [name];
  if (value instanceof Quantity || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    namesOfNumbers(member, Array.isArray(value) ? name : key)
  );
};

const COUNTS = new Set([
  ...["sequence", "http_status", "duration_ms", "quote_ttl_seconds", "requests_per_second", "burst"],
  ...["maximum", "maximum_quotes", "quotes", "maximum_records", "records"],
  ...["maximum_withdrawals", "withdrawals"],
  ...["expires_in", "fineness", "coverage", "clock_offset_seconds"],
  ...["percent", "seconds", "remaining", "failures"],
  ...["client_number", "endpoint", "delivered_to"],
]);

describe("readValue()", () => {
  it("reads every documented reply, and all numbers except counts, ratios, times and ordinals as quantities", () => {
    for (const operation of Object.keys(ENDPOINTS) as OperationId[]) {
      for (const example of Object.values(ENDPOINTS[operation].reply.examples)) {
        const value = readValue(new TextEncoder().encode(JSON.stringify(example)));
        assertEquals(toPlain(value), toPlain(JSON.parse(JSON.stringify(example))), operation);
        for (const name of namesOfNumbers(value)) {
          assert(COUNTS.has(name), `${operation}: ${name} is a number`);
        }
      }
    }
  });

  it("reads digits that a double cannot hold", () => {
    const { total_sar } = readValue(
      new TextEncoder().encode('{"total_sar":9007199254740993.01}'),
    ) as Order;
    assertEquals(`${total_sar}`, "9007199254740993.01");
  });

  it("takes a posting's unit from its account", () => {
    const text =
      '{"postings":[{"account":"gold_grams","change":-0.0001},{"account":"held_sar","change":5.10}]}';
    assertEquals(readValue(new TextEncoder().encode(text)), {
      postings: [
        { account: "gold_grams", change: Quantity.grams("-0.0001") },
        { account: "held_sar", change: Quantity.sar("5.1") },
      ],
    });
  });
});

describe("writeRequest()", () => {
  it("writes the objects of a request for a change, and never a private key", () => {
    const webhook_endpoint = { url: "https://bank.example/", types: ["order.executed"], other: undefined };
    assertEquals(
      writeRequest({ webhook_endpoint }),
      '{"webhook_endpoint":{"url":"https://bank.example/","types":["order.executed"]}}',
    );
    const key = { kty: "EC", crv: "P-256", x: "x", y: "y" };
    assertEquals(writeRequest({ signing_key: key }), `{"signing_key":${JSON.stringify(key)}}`);
    assertThrows(() => writeRequest({ signing_key: { ...key, d: "d" } }), GoldError, "private member d");
    assertThrows(() => writeRequest({ reference: { text: "x" } }), GoldError, "must be a string");
  });
});

describe("writeForm()", () => {
  it("writes a space as %20 and a plus as %2B, because the service refuses a plus in a query", () => {
    const query = { reference: "A 1+1 ٦", account_label: undefined, limit: 2 };
    assertEquals(writeForm(query), "reference=A%201%2B1%20%D9%A6&limit=2");
  });
});
