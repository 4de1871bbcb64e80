import { describe, it } from "node:test";
import { CANONICAL, expectViolation } from "./sample_tree.ts";

describe("no import cycles", () => {
  it("rejects a cycle of two files, and a cycle of three files with type imports only", async () => {
    await expectViolation(
      "no import cycles",
      "canonical.ts → packages/canonical/src/b.ts → packages/canonical/src/canonical.ts",
      {
        [CANONICAL]: `import { b } from "./b.ts";\nexport const canonical = b;`,
        "packages/canonical/src/b.ts":
          `import { canonical } from "./canonical.ts";\nexport const b = canonical;`,
      },
    );
    await expectViolation("no import cycles", "import cycle", {
      [CANONICAL]: `import type { B } from "./b.ts";\nexport const canonical: B = 1;`,
      "packages/canonical/src/b.ts": `import type { C } from "./c.ts";\nexport type B = C;`,
      "packages/canonical/src/c.ts":
        `import type { canonical } from "./canonical.ts";\nexport type C = typeof canonical;`,
    });
  });

  it("rejects a cycle that no other file imports, and a file that imports itself", async () => {
    await expectViolation("no import cycles", "tools/a.ts → tools/b.ts → tools/a.ts", {
      "tools/a.ts": `import "./b.ts";`,
      "tools/b.ts": `import "./a.ts";`,
    });
    await expectViolation("no import cycles", "tools/a.ts → tools/a.ts", {
      "tools/a.ts": `import "./a.ts";`,
    });
  });
});
