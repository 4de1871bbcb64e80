import { readJson } from "@gold-partner/canonical";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import type { z } from "zod";
import { FIELD_ERRORS_MAX, PAGE_MAX_ITEMS } from "../limit.ts";
import {
  balancesQuery,
  bodyErrors,
  emptyRequest,
  eventsQuery,
  filteredListQuery,
  fundRequest,
  listQuery,
  orderRequest,
  parameterErrors,
  quoteRequest,
  statementQuery,
  tokenRequest,
  withdrawalRequest,
} from "./mod.ts";

const read = (text: string) => readJson(Buffer.from(text));
const accept = <T extends z.ZodType>(schema: T, text: string): z.output<T> => schema.parse(read(text));

/** The pointers of the errors for a refused body. Each error's text must be ours and not zod's default. */
function refuse(schema: z.ZodType, text: string): string[] {
  return places(bodyErrors(issuesOf(schema, read(text))));
}

function refuseParameters(schema: z.ZodType, parameters: Record<string, unknown>): string[] {
  return places(parameterErrors(issuesOf(schema, parameters)));
}

function issuesOf(schema: z.ZodType, input: unknown): z.core.$ZodIssue[] {
  const result = schema.safeParse(input);
  assert(!result.success, `the schema must refuse ${inspect(input)}`);
  return result.error.issues;
}

function places(errors: ReturnType<typeof bodyErrors>): string[] {
  for (const { detail } of errors) {
    assert(detail.length >= 20 && !/^(Invalid|Unrecognized|Too |Expected)/.test(detail), detail);
  }
  return errors.map((error) => "pointer" in error ? error.pointer : error.name);
}

describe("quoteRequest", () => {
  it("reads a quote by grams or by amount, exactly", () => {
    for (const number of ["1.5", "1.50", "15e-1", '"1.5"', '"1.50"']) {
      const expected = { side: "buy", by: "grams", goldTenthMilligrams: 15_000n } as const;
      assertEquals(accept(quoteRequest, `{"side":"buy","gold_grams":${number}}`), expected);
    }
    const byAmount = { side: "sell", by: "amount", amountHalalas: 100_010n } as const;
    assertEquals(accept(quoteRequest, '{"amount_sar":1000.10,"side":"sell"}'), byAmount);
  });

  it("accepts quantities outside the limits, because the service checks limits later", () => {
    const request = accept(quoteRequest, '{"side":"buy","gold_grams":1e300}');
    assertEquals(request.by === "grams" && request.goldTenthMilligrams, 10n ** 304n);
  });

  it("accepts exactly one of gold_grams and amount_sar", () => {
    assertEquals(refuse(quoteRequest, '{"side":"buy"}'), ["#"]);
    assertEquals(refuse(quoteRequest, '{"side":"buy","gold_grams":1,"amount_sar":1}'), ["#"]);
    const says = (text: string) => issuesOf(quoteRequest, read(text))[0]!.message;
    assertMatch(says('{"side":"buy"}'), /both missing/);
    assertMatch(says('{"side":"buy","gold_grams":1,"amount_sar":1}'), /both present/);
  });

  it("rejects every number that is not a valid quantity", () => {
    for (
      const number of [
        "0",
        "-0",
        "-1",
        "0.00001",
        "1e400",
        "1.00000000000000001",
        ...[
          '"15e-1"',
          '" 1.5"',
          '"1.5 "',
          '"1,5"',
          '"+1.5"',
          '".5"',
          '"1."',
          '"01.5"',
          '"٣"',
          '""',
          '"0"',
          '"-1"',
        ],
        ...['"0.00001"', '"NaN"', '"Infinity"', '"0x1"'],
        "null",
        "true",
        "[1]",
        '{"source":"1"}',
      ]
    ) {
      assertEquals(refuse(quoteRequest, `{"side":"buy","gold_grams":${number}}`), ["#/gold_grams"], number);
    }
    assertEquals(refuse(quoteRequest, '{"side":"buy","amount_sar":0.001}'), ["#/amount_sar"]);
  });

  it("reports every invalid member at once", () => {
    assertEquals(refuse(quoteRequest, '{"side":"hold","gold_grams":0,"price":1}'), [
      "#/side",
      "#/gold_grams",
      "#/price",
    ]);
    assertEquals(refuse(quoteRequest, '{"gold_grams":1}'), ["#/side"]);
  });

  it("rejects unknown members of any name", () => {
    for (const name of ["Side", "constructor", "toString", "hasOwnProperty", ""]) {
      assertEquals(refuse(quoteRequest, `{"side":"buy","gold_grams":1,"${name}":1}`), [`#/${name}`], name);
    }
    assertEquals(refuse(quoteRequest, '{"side":"buy","gold_grams":1,"__proto__":{"x":1}}'), ["#/__proto__"]);
    assertEquals(refuse(quoteRequest, '{"__proto__":{"side":"buy","gold_grams":1}}'), [
      "#/side",
      "#/__proto__",
    ]);
    assertEquals(refuse(quoteRequest, '{"side":"buy","gold_grams":1,"a/b~c %é":1}'), [
      "#/a~1b~0c%20%25%C3%A9",
    ]);
  });

  it("rejects a body that is not an object", () => {
    for (const text of ["[]", "null", "1", '"buy"', "true"]) {
      assertEquals(refuse(quoteRequest, text), ["#"], text);
    }
  });
});

describe("orderRequest", () => {
  it("accepts any string, because a malformed id gets 404 like an unknown id", () => {
    for (const quote_id of ["qt_01890a5d-ac96-774b-bcce-b302099a8057", "", "../orders"]) {
      assertEquals(accept(orderRequest, JSON.stringify({ quote_id })), { quote_id });
    }
    for (const text of ["{}", '{"quote_id":1}', '{"quote_id":null}']) {
      assertEquals(refuse(orderRequest, text), ["#/quote_id"]);
    }
    assertEquals(refuse(orderRequest, '{"quote_id":"q","side":"buy"}'), ["#/side"]);
  });
});

describe("withdrawalRequest and fundRequest", () => {
  it("read an amount and an optional reference; an empty reference counts as missing", () => {
    assertEquals(accept(fundRequest, '{"amount_sar":1e3}'), { amountHalalas: 100_000n });
    assertEquals(accept(withdrawalRequest, '{"amount_sar":0.01}'), {
      amountHalalas: 1n,
      reference: undefined,
    });
    assertEquals(accept(withdrawalRequest, '{"amount_sar":1,"reference":""}'), {
      amountHalalas: 100n,
      reference: undefined,
    });
    const withReference = { amountHalalas: 100n, reference: "INV/2026 1" };
    assertEquals(accept(withdrawalRequest, '{"amount_sar":1,"reference":"INV/2026 1"}'), withReference);
  });

  it("reject missing, unknown and malformed members", () => {
    assertEquals(refuse(fundRequest, "{}"), ["#/amount_sar"]);
    assertEquals(refuse(withdrawalRequest, '{"reference":"a"}'), ["#/amount_sar"]);
    assertEquals(refuse(withdrawalRequest, '{"amount_sar":1,"iban":"SA03"}'), ["#/iban"]);
    for (const reference of ['" a"', '"a/"', '"a\\nb"', '"é"', `"${"x".repeat(36)}"`, "1", "null"]) {
      assertEquals(
        refuse(withdrawalRequest, `{"amount_sar":1,"reference":${reference}}`),
        ["#/reference"],
        reference,
      );
    }
  });
});

describe("reference and account_label", () => {
  const REQUESTS = {
    quote: [quoteRequest, { side: "buy", gold_grams: 1 }, ["reference", "account_label"]],
    order: [orderRequest, { quote_id: "q" }, ["reference", "account_label"]],
    withdrawal: [withdrawalRequest, { amount_sar: 1 }, ["account_label"]],
  } as const;

  it("accept 64 code points of any script, unchanged", () => {
    for (
      const text of ["a", "٦٤ طلب العميل", "=1+1", 'a "b" \\ c', "e\u0301", "👩‍💻".repeat(21), "😀".repeat(64)]
    ) {
      for (const [schema, members, names] of Object.values(REQUESTS)) {
        for (const name of names) {
          const read = accept(schema as typeof orderRequest, JSON.stringify({ ...members, [name]: text }));
          assertEquals(read[name], text);
        }
      }
      const query = { reference: text, account_label: text };
      assertEquals(filteredListQuery.parse(query), query);
    }
  });

  it("refuse any other value, and name the member", () => {
    const texts = [
      "",
      " a",
      "a ",
      " ",
      "a\nb",
      "\0",
      "\u001b[2J",
      "\u007f",
      "\u0085",
      "\u2028",
      "\u202e",
      "\u200f",
    ];
    for (const value of [...texts, "x".repeat(65), "😀".repeat(65), 1, null, true, ["a"], {}]) {
      for (const [schema, members, names] of Object.values(REQUESTS)) {
        for (const name of names) {
          const body = JSON.stringify({ ...members, [name]: value });
          assertEquals(refuse(schema, body), [`#/${name}`], body);
        }
      }
    }
    for (const reference of [...texts, "x".repeat(65)]) {
      assertEquals(refuseParameters(filteredListQuery, { reference }), ["reference"], reference);
      assertEquals(refuseParameters(listQuery, { reference: "a" }), ["reference"]);
    }
  });
});

describe("emptyRequest", () => {
  it("accepts only an empty object", () => {
    assertEquals(accept(emptyRequest, "{}"), {});
    assertEquals(refuse(emptyRequest, '{"a":1}'), ["#/a"]);
    assertEquals(refuse(emptyRequest, "[]"), ["#"]);
  });
});

describe("tokenRequest", () => {
  it("reads the form, ignores unknown parameters and names missing parameters", () => {
    const form = { grant_type: "client_credentials", client_id: "sbx_a", client_secret: "s" };
    assertEquals(tokenRequest.parse({ ...form, scope: "x" }), form);
    for (const grant_type of ["", "password", "Client_Credentials"]) {
      assertEquals(refuseParameters(tokenRequest, { ...form, grant_type }), ["grant_type"]);
    }
    assertEquals(refuseParameters(tokenRequest, {}), ["grant_type", "client_id", "client_secret"]);
  });
});

describe("query schemas", () => {
  it("read the parameters of a page", () => {
    const at = "2026-01-31T09:30:00.000Z";
    assertEquals(listQuery.parse({}), {});
    const query = { cursor: "c", created_after: at, created_before: at, idempotency_key: "k" };
    assertEquals(listQuery.parse({ ...query, limit: "200" }), { ...query, limit: PAGE_MAX_ITEMS });
    assertEquals(eventsQuery.parse({ after: "0", limit: "1" }), { after: 0, limit: 1 });
    assertEquals(eventsQuery.parse({ after: "999999999999999" }), { after: 999_999_999_999_999 });
    const offset = { created_after: "2026-01-31T12:30:00+03:00", created_before: "2026-01-31t09:30:00z" };
    assertEquals(listQuery.parse(offset), { created_after: at, created_before: at });
    assertEquals(balancesQuery.parse({ at }), { at });
    assertEquals(balancesQuery.parse({ at: "2026-01-31T09:30:00Z" }), { at });
    assertEquals(statementQuery.parse({ from: "2026-01-31", to: "2026-01-31" }), {
      from: "2026-01-31",
      to: "2026-01-31",
    });
  });

  it("reject malformed parameters, including texts that JavaScript's conversions would accept", () => {
    for (
      const limit of ["0", "201", "", " 5", "+5", "-5", "5.0", "5e0", "0x5", "05", "1e999", "٥", 5, ["5"]]
    ) {
      assertEquals(refuseParameters(listQuery, { limit }), ["limit"], `${limit}`);
    }
    for (const after of ["-1", "1000000000000000"]) {
      assertEquals(refuseParameters(eventsQuery, { after }), ["after"]);
    }
    assertEquals(refuseParameters(listQuery, { cursor: "" }), ["cursor"]);
    assertEquals(refuseParameters(listQuery, { cursor: "x".repeat(513) }), ["cursor"]);
    assertEquals(refuseParameters(listQuery, { created_after: "2026-02-30" }), ["created_after"]);
    assertEquals(refuseParameters(listQuery, { created_before: "now" }), ["created_before"]);
    assertEquals(refuseParameters(listQuery, { idempotency_key: "a b" }), ["idempotency_key"]);
    assertEquals(refuseParameters(balancesQuery, { at: ["a"] }), ["at"]);
    assertEquals(refuseParameters(statementQuery, {}), ["from", "to"]);
    assertEquals(refuseParameters(statementQuery, { from: "2026-02-30", to: "2026-03-01" }), ["from"]);
    assertEquals(refuseParameters(statementQuery, { from: "2026-02-02", to: "2026-02-01" }), ["to"]);
    for (const schema of [listQuery, eventsQuery, balancesQuery]) {
      assertEquals(refuseParameters(schema, { page: "2" }), ["page"]);
    }
  });
});

describe("bodyErrors() and parameterErrors()", () => {
  it("keep the reply small for many or long unknown names", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 1]));
    assertEquals(refuse(quoteRequest, JSON.stringify(many)).length, FIELD_ERRORS_MAX);
    assertEquals(refuse(emptyRequest, JSON.stringify({ ["é".repeat(20_000)]: 1 })), ["#"]);
    assertEquals(refuseParameters(listQuery, { ["x".repeat(20_000)]: "1" }), ["x".repeat(64)]);
    assertEquals(refuseParameters(listQuery, { [`${"x".repeat(63)}\ud83d\ude00`]: "1" }), ["x".repeat(63)]);
    assertEquals(refuseParameters(listQuery, { [`${"x".repeat(62)}\ud83d\ude00`]: "1" }), [
      `${"x".repeat(62)}\ud83d\ude00`,
    ]);
  });
});
