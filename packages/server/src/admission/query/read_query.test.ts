import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "zod";
import { Refusal } from "../../http/refusal.ts";
import { readQuery, refuseQuery } from "./read_query.ts";

const contextOf = (target: string) => ({ get: () => target });
const text = z.strictObject({ a: z.string().optional(), "b[]": z.string().optional() }, {
  error: "Unknown.",
});
const read = (target: string) => readQuery(contextOf(target), text);

/** Returns the names of the refused parameters, and the refusal's detail. */
function refused(act: () => unknown): { names: string[]; detail: string } {
  const refusal = assertThrows(act, Refusal) as Refusal;
  assertEquals(refusal.code, "invalid_request");
  const names = refusal.errors.map((one) => "name" in one ? one.name : one.pointer);
  return { names, detail: refusal.detail ?? "" };
}

describe("readQuery()", () => {
  it("returns the parameters, decoded once", () => {
    assertEquals(read("/v1/orders"), {});
    assertEquals(read("/v1/orders?a=1"), { a: "1" });
    assertEquals(read("/v1/orders?b%5B%5D=x%2By%20z&a=%2525=?"), { "b[]": "x+y z", a: "%25=?" });
    assertEquals(read("/v1/orders?a=%F0%9F%AA%99"), { a: "🪙" });
    assertEquals([read("/v1/orders?a="), read("/v1/orders?a")], [{ a: "" }, { a: "" }]);
  });

  it("refuses a parameter that is sent twice, even if its name is encoded differently", () => {
    for (const target of ["/?a=1&a=1", "/?a=1&%61=2", "/?a&a"]) {
      const { names, detail } = refused(() => read(target));
      assertEquals(names, ["a"], target);
      assertStringIncludes(detail, "more than once");
    }
  });

  it("refuses invalid percent-encoding and an ambiguous plus sign", () => {
    for (const target of ["/?a=%", "/?a=%4", "/?a=%zz", "/?a=%ff", "/?a=%ed%a0%80", "/?a=%c0%80"]) {
      const { names, detail } = refused(() => read(target));
      assertEquals(names, ["a"], target);
      assertStringIncludes(detail, "percent-encoding");
    }
    assertEquals(refused(() => read("/?a%=1")).names, ["a%"]);
    assertStringIncludes(refused(() => read("/?a=1+2")).detail, "%2B");
  });

  it("refuses unknown and nameless parameters, and names such as constructor", () => {
    assertEquals(refused(() => read("/?A=1&c=2")).names, ["A", "c"]);
    for (const target of ["/?", "/?a=1&", "/?&a=1", "/?=1"]) {
      assertEquals(refused(() => read(target)).names, [""]);
    }
    for (const name of ["__proto__", "constructor", "toString"]) {
      assertEquals(refused(() => read(`/?${name}=1`)).names, [name]);
    }
  });

  it("shortens a long name to 64 characters and a long list to 20 errors", () => {
    assertEquals(refused(() => read(`/?${"x".repeat(300)}=1`)).names, ["x".repeat(64)]);
    const many = Array.from({ length: 300 }, (_, n) => `x${n}=1`).join("&");
    assertEquals(refused(() => read(`/?${many}`)).names.length, 20);
  });
});

describe("refuseQuery()", () => {
  it("accepts a target without a query, and refuses every query", () => {
    refuseQuery(contextOf("/v1/balances"));
    assertEquals(refused(() => refuseQuery(contextOf("/v1/balances?at=now"))).names, ["at"]);
    assertEquals(refused(() => refuseQuery(contextOf("/v1/balances?"))).names, [""]);
  });
});
