import { describe, it } from "node:test";
import { assert } from "../testing/assert.ts";
import { CANONICAL, clean, expectViolation, PRICE } from "./sample_tree.ts";

describe("manifests agree", () => {
  const manifests = "manifests agree";
  const changed = (path: string, from: string, to: string) => {
    assert(clean(path).includes(from), `${path} does not contain ${from}`);
    return { [path]: clean(path).replace(from, to) };
  };

  it("rejects a sibling with another version, in package.json and in deno.json", async () => {
    const [version, other] = ['"version":"1.0.0"', '"version":"1.0.1"'];
    await expectViolation(
      manifests,
      "has version 1.0.1",
      changed("packages/jws/package.json", version, other),
    );
    await expectViolation(manifests, "has version 1.0.1", changed("packages/jws/deno.json", version, other));
    const sibling = changed("packages/jws/package.json", `canonical":"1.0.0"`, `canonical":"0.9.0"`);
    await expectViolation(manifests, "but its version is 1.0.0", sibling);
  });

  it("rejects another name or licence in deno.json", async () => {
    await expectViolation(
      manifests,
      "is named",
      changed("packages/jws/deno.json", "partner/jws", "partner/jwt"),
    );
    await expectViolation(
      manifests,
      "has license MIT",
      changed("packages/jws/deno.json", "Apache-2.0", "MIT"),
    );
    await expectViolation(
      manifests,
      "has license MIT",
      changed("packages/jws/package.json", "Apache-2.0", "MIT"),
    );
  });

  it("rejects a published package without a LICENSE file", async () => {
    await expectViolation(manifests, "packages/protocol is published and has no LICENSE", {
      "packages/protocol/LICENSE": undefined,
    });
  });

  it("rejects a version range, and two versions of one dependency", async () => {
    await expectViolation(
      manifests,
      "pin one exact version",
      changed("packages/protocol/package.json", `"4.0.0"`, `"^4.0.0"`),
    );
    await expectViolation(
      manifests,
      "choose one",
      changed("package.json", `"jose":"6.0.0"`, `"zod":"4.0.1"`),
    );
  });

  it("rejects an import that only the root declares and the package does not", async () => {
    const says = "which packages/canonical/package.json does not declare";
    await expectViolation(manifests, says, { [CANONICAL]: `import "jose";\n${clean(CANONICAL)}` });
    await expectViolation(manifests, "which package.json does not declare", {
      "tools/x.ts": `import "left-pad";`,
    });
  });

  it("rejects a declared dependency that nothing imports", async () => {
    await expectViolation(manifests, "declares zod, which nothing", {
      [PRICE]: clean(PRICE).replace(`import { z } from "zod";`, "const z = [];"),
    });
  });

  it("rejects workspaces that differ between npm and Deno", async () => {
    await expectViolation(
      manifests,
      "does not list ./packages/jws",
      changed("deno.json", `"./packages/jws",`, ""),
    );
    await expectViolation(
      manifests,
      "which is not an npm workspace",
      changed("deno.json", "./packages/jws", "./packages/jwt"),
    );
    await expectViolation(manifests, "no deno.json", { "packages/jws/deno.json": undefined });
    await expectViolation(
      manifests,
      "one workspace pattern",
      changed("package.json", "packages/*", "packages/jws"),
    );
  });
});
