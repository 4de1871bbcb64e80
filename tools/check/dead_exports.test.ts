import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { after, CANONICAL, expectEach, expectViolation, find, PRICE, SIGN } from "./sample_tree.ts";

describe("no dead exports", () => {
  const dead = "no dead exports";

  it("rejects an exported name that no file imports, for every form of export", async () => {
    const forms = [
      "export const spare = 1;",
      "export function spare() {}",
      "export type spare = 1;",
      "const spare = 1;\nexport { spare };",
      "export const { spare, b: [canonical2 = 1] } = x;",
    ];
    await expectEach(dead, "exports spare", forms.map((text) => after(SIGN, text)));
    await expectViolation(dead, "exports default", after(SIGN, "export default 1;"));
  });

  it("follows export * to the file that declares the name", async () => {
    const passed = {
      "tools/a.ts": `import { one } from "./barrel.ts";\none;`,
      "tools/barrel.ts": `export * from "./maker.ts";`,
      "tools/maker.ts": "export const one = 1;\nexport const two = 2;",
    };
    assertEquals(await find(passed), [
      `${dead}: tools/maker.ts exports two, which no file imports: remove the export or the code.`,
    ]);
  });

  it("counts only exports of a published package's entry point as used from outside", async () => {
    assertEquals(await find(after(PRICE, "export const spare = 1;")), []);
    await expectViolation(dead, "exports spare", after(CANONICAL, "export const spare = 1;"));
  });

  it("counts an import in a test as use, and ignores exports of tests", async () => {
    const spare = after(SIGN, "export const spare = 1;");
    const test = `import { spare } from "./sign.ts";\nexport const seen = spare;`;
    assertEquals(await find({ ...spare, "packages/protocol/src/request/sign.test.ts": test }), []);
  });
});
