import { describe, it } from "node:test";
import { before, CANONICAL, changed, expectEach, expectViolation, PRICE } from "./sample_tree.ts";

const MANIFESTS = "manifests agree";
const [PACKAGE, DENO] = ["packages/jws/package.json", "packages/jws/deno.json"];

describe("manifests agree", () => {
  it("rejects a sibling with another version, in package.json and in deno.json", async () => {
    const [version, other] = ['"version":"1.1.0-dev"', '"version":"1.0.1"'];
    const both = [changed(PACKAGE, version, other), changed(DENO, version, other)];
    await expectEach(MANIFESTS, "has version 1.0.1", both);
    const sibling = changed(PACKAGE, `canonical":"1.1.0-dev"`, `canonical":"0.9.0"`);
    await expectViolation(MANIFESTS, "but its version is 1.1.0-dev", sibling);
  });

  it("rejects another name or licence in deno.json", async () => {
    await expectViolation(MANIFESTS, "is named", changed(DENO, "partner/jws", "partner/jwt"));
    const licences = [DENO, PACKAGE].map((path) => changed(path, "Apache-2.0", "MIT"));
    await expectEach(MANIFESTS, "has license MIT", licences);
  });

  it("rejects a published package without a LICENSE file", async () => {
    const missing = { "packages/protocol/LICENSE": undefined };
    await expectViolation(MANIFESTS, "packages/protocol is published and has no LICENSE", missing);
  });

  it("rejects a version range, and two versions of one dependency", async () => {
    const range = changed("packages/protocol/package.json", `"4.0.0"`, `"^4.0.0"`);
    await expectViolation(MANIFESTS, "pin one exact version", range);
    await expectViolation(
      MANIFESTS,
      "choose one",
      changed("package.json", `"jose":"6.0.0"`, `"zod":"4.0.1"`),
    );
  });

  it("rejects an import that only the root declares and the package does not", async () => {
    const says = "which packages/canonical/package.json does not declare";
    await expectViolation(MANIFESTS, says, before(CANONICAL, `import "jose";`));
    const undeclared = { "tools/x.ts": `import "left-pad";` };
    await expectViolation(MANIFESTS, "which package.json does not declare", undeclared);
  });

  it("rejects a declared dependency that nothing imports", async () => {
    const unused = changed(PRICE, `import { z } from "zod";`, "const z = [];");
    await expectViolation(MANIFESTS, "declares zod, which nothing", unused);
  });

  it("rejects workspaces that differ between npm and Deno", async () => {
    const cases = {
      "does not list ./packages/jws": changed("deno.json", `"./packages/jws",`, ""),
      "which is not an npm workspace": changed("deno.json", "./packages/jws", "./packages/jwt"),
      "no deno.json": { [DENO]: undefined },
      "exactly these workspaces": changed("package.json", "packages/*", "packages/jws"),
    };
    for (const [says, files] of Object.entries(cases)) await expectViolation(MANIFESTS, says, files);
  });
});
