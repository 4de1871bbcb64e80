import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { k6Closure } from "./k6_closure.ts";
import { after, before, CANONICAL, expectEach, expectViolation, find, plant, SIGN } from "./sample_tree.ts";

describe("k6 can load its closure", () => {
  const loads = "k6 can load its closure";

  it("lists the closure without tests", async () => {
    assertEquals(k6Closure(await plant()), [
      ...["loadtest/order.ts", CANONICAL, "packages/canonical/src/mod.ts", "packages/jws/src/mod.ts", SIGN],
    ]);
  });

  it("follows an import to a file outside the listed folders", async () => {
    const planted = await plant({
      "packages/canonical/lib/deep.ts": "export const deep = new TextEncoder();",
      [CANONICAL]: `import { deep } from "../lib/deep.ts";\nexport const canonical = deep;`,
    });
    assert(k6Closure(planted).includes("packages/canonical/lib/deep.ts"));
    const typed = await plant(before(SIGN, `import type { limit } from "../price.ts";`));
    assertEquals(k6Closure(typed), k6Closure(await plant()));
  });

  it("rejects a package import, also with inline types only", async () => {
    await expectEach(loads, "which k6 cannot resolve", [
      before(SIGN, `import { z } from "zod";`),
      before(SIGN, `import { type Z } from "zod";`),
      before(SIGN, `export * from "zod";`),
      before(CANONICAL, `import "node:crypto";`),
      before(SIGN, `import "./data.json";`),
    ]);
    assertEquals(await find(before(SIGN, `import type { Z } from "zod";`)), []);
  });

  it("rejects globals, methods and syntax that k6 lacks", async () => {
    const uses: Readonly<Record<string, string>> = {
      "TextEncoder": "new TextEncoder();",
      "btoa": `btoa("");`,
      "URL": `URL.canParse("");`,
      "Buffer": `const { from } = Buffer;`,
      "structuredClone": "structuredClone(1);",
      "import()": `import("./x.ts");`,
      "`for await`": "async () => { for await (const x of []) x; };",
      "`using`": "{ using x = null; }",
      "a decorator": "@sealed class A {}",
      "\\p{…} in a regular expression": "/\\p{L}/u;",
      "the regular expression flag d or v": "/a/gv;",
      "a modifier inside a regular expression": "/a(?i:b)/;",
      "an async generator": "const o = { async *each() {} };",
      "an accessor field": "class A { accessor x = 1; }",
      "Intl": "new Intl.NumberFormat();",
      "fetch": "globalThis.fetch;",
      "TextDecoder": `globalThis["TextDecoder"];`,
      "globalThis with a computed name": "globalThis[name];",
      "groupBy": "Object.groupBy([], f); Map.groupBy([], f);",
      "toWellFormed": `"".toWellFormed();`,
      "isWellFormed": `""["isWellFormed"]();`,
      "union": "new Set().union(other);",
      "toHex": "bytes.toHex();",
      "fromBase64": `Uint8Array.fromBase64("");`,
      "withResolvers": "Promise.withResolvers();",
    };
    for (const [name, text] of Object.entries(uses)) {
      await expectViolation(loads, `uses ${name}`, after(SIGN, text));
    }
    const others = ["async function* each() {}", "/a/d;", "/(?-i:b)/;", "/(?i-s:b)/;"];
    const says = "which is not allowed in code that k6 loads";
    await expectEach(loads, says, others.map((text) => after(SIGN, text)));
    await expectViolation(loads, "uses `using`", after(SIGN, "async () => { await using x = null; };"));
  });

  it("allows own names that equal a missing global, and the global's name as a type", async () => {
    const text = `const x = { URL: 1, a: (b: URL) => b };\nx.URL; const union = 1; union;\nlet z: Buffer;
/(?:d)(?<v>v)/gs; function* each() {} async () => globalThis.crypto;`;
    assertEquals(await find(after(SIGN, text)), []);
  });
});
