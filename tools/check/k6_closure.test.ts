import { describe, it } from "node:test";
import { assert, assertEquals } from "../testing/assert.ts";
import { k6Closure } from "./k6_closure.ts";
import { CANONICAL, clean, expectViolation, find, plant, SIGN } from "./sample_tree.ts";

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
    const typed = await plant({ [SIGN]: `import type { limit } from "../price.ts";\n${clean(SIGN)}` });
    assertEquals(k6Closure(typed), k6Closure(await plant()));
  });

  it("rejects a package import, also with inline types only", async () => {
    await expectViolation(loads, "which k6 cannot resolve", {
      [SIGN]: `import { z } from "zod";\n${clean(SIGN)}`,
    });
    await expectViolation(loads, "which k6 cannot resolve", {
      [SIGN]: `import { type Z } from "zod";\n${clean(SIGN)}`,
    });
    await expectViolation(loads, "which k6 cannot resolve", {
      [SIGN]: `export * from "zod";\n${clean(SIGN)}`,
    });
    await expectViolation(loads, "which k6 cannot resolve", {
      [CANONICAL]: `import "node:crypto";\n${clean(CANONICAL)}`,
    });
    await expectViolation(loads, "which k6 cannot resolve", {
      [SIGN]: `import "./data.json";\n${clean(SIGN)}`,
    });
    const typed = await find({ [SIGN]: `import type { Z } from "zod";\n${clean(SIGN)}` });
    assertEquals(typed, []);
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
      await expectViolation(loads, `uses ${name}`, { [SIGN]: `${clean(SIGN)}\n${text}` });
    }
    for (const text of ["async function* each() {}", "/a/d;", "/(?-i:b)/;", "/(?i-s:b)/;"]) {
      await expectViolation(loads, "which is not allowed in code that k6 loads", {
        [SIGN]: `${clean(SIGN)}\n${text}`,
      });
    }
    await expectViolation(loads, "uses `using`", {
      [SIGN]: `${clean(SIGN)}\nasync () => { await using x = null; };`,
    });
  });

  it("allows own names that equal a missing global, and the global's name as a type", async () => {
    const text = `const x = { URL: 1, a: (b: URL) => b };\nx.URL; const union = 1; union;\nlet z: Buffer;
/(?:d)(?<v>v)/gs; function* each() {} async () => globalThis.crypto;`;
    assertEquals(await find({ [SIGN]: `${clean(SIGN)}\n${text}` }), []);
  });
});
