import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import * as problem from "../problem.ts";
import * as schemas from "./mod.ts";

const exported: [string, unknown][] = Object.entries({ ...problem, ...schemas });
const all = exported.filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType);

describe("z.toJSONSchema()", () => {
  it("represents every exported schema with a unique id and a description", () => {
    const ids = new Set<string>();
    for (const [name, schema] of all) {
      const json = z.toJSONSchema(schema, { io: "input" });
      const id = json.$ref?.replace("#/$defs/", "");
      if (schema instanceof z.ZodEnum) continue;
      assert(id, `${name} must have an id`);
      assert(!ids.has(id), `the id ${id} must be unique`);
      ids.add(id);
      assert((json.$defs?.[id]?.description ?? "").length > 10, `${name} must have a description`);
    }
    assert(ids.size > 35);
  });

  it("has no multipleOf, because validators use floating point: 5.02 is not a multiple of 0.01", () => {
    assertEquals(5.02 % 0.01 === 0, false);
    for (const [name, schema] of all) {
      const rules = JSON.stringify(z.toJSONSchema(schema, { io: "input" }));
      assertEquals(rules.includes('"multipleOf"'), false, name);
    }
  });

  it("gives the bounds and both forms of a quantity, and forbids unknown members in requests but not in replies", () => {
    const quote = z.toJSONSchema(schemas.quoteRequest, { io: "input" }).$defs!["QuoteRequest"]!;
    assertEquals(quote.additionalProperties, false);
    assertEquals(quote.required, ["side"]);
    assertEquals(quote.oneOf, [{ required: ["gold_grams"] }, { required: ["amount_sar"] }]);
    const { description, examples: _shows, pattern, ...amount } = quote.properties!["amount_sar"] as Record<
      string,
      unknown
    >;
    assertEquals(amount, {
      ...{ type: ["number", "string"], minimum: 0.01, maximum: 10_000_000_000 },
      oneOf: [{ type: ["string"], format: "number", description }, { not: { type: "string" } }],
    });
    const texts = ["1", "0.5", "10.50", "007", "1.", ".5", "1e2", "-1", "+1", " 1"];
    assertEquals(texts.filter((text) => new RegExp(`${pattern}`).test(text)), ["1", "0.5", "10.50"]);
    const fund = z.toJSONSchema(schemas.fundRequest, { io: "input" }).$defs!["FundRequest"]!;
    assertEquals(fund.required, ["amount_sar"]);
    const order = z.toJSONSchema(schemas.orderReply, { io: "input" }).$defs!["Order"]!;
    assertEquals(order.additionalProperties, undefined);
    const event = z.toJSONSchema(schemas.webhookEvent, { io: "input" }).$defs!["WebhookEvent"]!;
    const { type, sequence } = event.properties as Record<string, typeof order>;
    const { "x-extensible-enum": known, enum: closed } = type as {
      "x-extensible-enum": string[];
      enum?: string[];
    };
    assertEquals([type!.type, closed, known.length, known[0], sequence!.minimum], [
      "string",
      undefined,
      17,
      "order.executed",
      1,
    ]);
    const list = z.toJSONSchema(schemas.listQuery, { io: "input" }).$defs!["ListQuery"]!;
    const { description: _too, ...limit } = list.properties!["limit"] as Record<string, unknown>;
    assertEquals(limit, { type: "integer", minimum: 1, maximum: 200, default: 50 });
  });
});
