import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { after, before, expectEach, expectViolation, find, plant, PRICE, SIGN } from "./sample_tree.ts";
import { findLongFiles } from "./style.ts";

describe("names and style", () => {
  const style = "names and style";

  it("rejects names such as utils, and names that are not snake_case", async () => {
    await expectViolation(style, "which can hold anything", { "packages/jws/src/utils/a.ts": "" });
    await expectViolation(style, "does not describe", { "packages/jws/src/helpers.ts": "" });
    await expectViolation(style, "snake_case", { "packages/jws/src/keySource.ts": "" });
    await expectViolation(style, "snake_case", { "packages/jws/src/key-source.test.ts": "" });
  });

  it("rejects an import without its extension", async () => {
    const imports = [`import "./other";`, `import "./other.js";`];
    await expectEach(style, "write .ts", imports.map((line) => before(PRICE, line)));
  });

  it("rejects notes about unfinished work, paths of one machine and registries' hosts", async () => {
    await expectViolation(style, "unfinished work", { "README.md": `a\n${"TO" + "DO"}: b` });
    for (const path of ["home/someone", "root", "tmp/x", "Users/someone"]) {
      const files = [{ "README.md": `see \`/${path}/file\`` }, {
        "vectors/a.json": `{"path":"/${path}/file"}`,
      }];
      await expectEach(style, "one machine", files);
    }
    const hosts = ["npmjs com", "pypi org", "crates io", "proxy.golang org", "jsr io"];
    await expectEach(style, "host of a package registry", [
      ...hosts.map((host) => host.replace(" ", ".")).flatMap((host) => [
        { "README.md": `served by ${host}, too` },
        { "package-lock.json": `{"packages":{"":{"a":"${host}"}}}` },
      ]),
      { "README.md": `https://${"registry"}.example.com/x` },
    ]);
  });

  it("rejects markup that is written into a page as it stands", async () => {
    const path = "packages/operator/src/page.ts";
    await expectViolation(style, "imports raw()", { [path]: `import { html, raw } from "hono/html";` });
  });

  it("rejects a random test that cannot be repeated by its seed", async () => {
    const path = "packages/jws/src/random.test.ts";
    const random = `import fc from "fast-check";\nfc.assert(fc.property(fc.nat(), () => true));`;
    await expectViolation(style, "without a seed", { [path]: random });
    const seeded =
      `import { seedTests } from "../../../tools/testing/seed.ts";\nseedTests(import.meta.url);\n${random}`;
    const seed = `export function seedTests(url: string): string { return url; }`;
    const found = await find({ [path]: seeded, "tools/testing/seed.ts": seed });
    assertEquals(found.filter((says) => says.includes("seed")), []);
  });

  it("rejects two decisions with the same number", async () => {
    const first = { "docs/decisions/0001-money-is-an-integer.md": "# 1." };
    assertEquals(await find(first), []);
    await expectViolation(style, "has the same number as docs/decisions/0001-money", {
      ...first,
      "docs/decisions/0001-time-is-utc.md": "# 1.",
    });
  });

  it("lists a long file, but not as a violation", async () => {
    const long = after(SIGN, "// a line\n".repeat(250));
    assertEquals(await find(long), []);
    assertEquals(findLongFiles(await plant(long)).map(({ path }) => path), [SIGN]);
    assertEquals(findLongFiles(await plant()), []);
  });
});
