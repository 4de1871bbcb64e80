import { describe, it } from "node:test";
import { changed, expectViolation, sha512Of } from "./sample_tree.ts";

describe("the lockfile agrees", () => {
  const check = "the lockfile agrees";
  const lockfile = "package-lock.json";

  it("rejects a package that is resolved to an https, http or Git address", async () => {
    for (const address of ["https://example.com/zod.tgz", "http://example.com/", "git+ssh://example.com/x"]) {
      const planted = changed(lockfile, `"version":"4.0.0"`, `"version":"4.0.0","resolved":"${address}"`);
      await expectViolation(check, "to a fixed address", planted);
    }
  });

  it("rejects versions that differ from the manifests", async () => {
    const version = changed("package.json", `"version":"1.1.0-dev"`, `"version":"1.0.1"`);
    await expectViolation(check, "has a different version than package.json", version);
    const jose = changed("package.json", `"jose":"6.0.0"`, `"jose":"6.0.1"`);
    await expectViolation(check, "has different devDependencies than package.json", jose);
    await expectViolation(check, "has jose 6.0.0, but package.json requires 6.0.1", jose);
    const more = changed("packages/protocol/package.json", `"zod":"4.0.0"`, `"zod":"4.0.0","jose":"6.0.0"`);
    await expectViolation(check, "has different dependencies than packages/protocol/package.json", more);
    const zed = changed(lockfile, `"node_modules/zod":`, `"node_modules/zed":`);
    await expectViolation(check, "has zod (missing), but", zed);
    const added = { "packages/new/package.json": "{}" };
    await expectViolation(check, "does not contain packages/new/package.json", added);
    await expectViolation(check, "is missing", { [lockfile]: undefined });
  });

  it("rejects a shrinkwrap, which npm ci would read instead of the lockfile", async () => {
    for (const path of ["npm-shrinkwrap.json", "site/npm-shrinkwrap.json"]) {
      await expectViolation(check, "hides package-lock.json from npm ci", { [path]: "{}" });
    }
  });

  it("rejects a package without a SHA-512 hash", async () => {
    const hash = `"integrity":"${sha512Of("zod")}"`;
    const malformed = ["", "sha1-abc", "sha512-", "sha512-zod"].map((value) => `"integrity":"${value}"`);
    for (const wrong of [...malformed, `"link":true`, `"link":true,"resolved":"packages/none"`]) {
      const planted = changed(lockfile, hash, wrong);
      await expectViolation(check, "has no sha512 integrity for node_modules/zod", planted);
      const other = { "site/package-lock.json": planted[lockfile] };
      await expectViolation(check, "has no sha512 integrity for node_modules/zod", other);
    }
  });

  it("rejects an .npmrc that allows addresses in the lockfile or install scripts", async () => {
    for (const setting of ["omit-lockfile-registry-resolved=true", "ignore-scripts=true"]) {
      const without = changed(".npmrc", setting, `#${setting}`);
      await expectViolation(check, `does not contain the line ${setting}`, without);
    }
    await expectViolation(check, "does not contain the line", { ".npmrc": undefined });
  });
});
