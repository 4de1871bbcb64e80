import { describe, it } from "node:test";
import { clean, expectOffence } from "./planted_tree.ts";

describe("the lockfile agrees", () => {
  const check = "the lockfile agrees";
  const lockfile = "package-lock.json";
  const changed = (path: string, from: string, to: string) => ({ [path]: clean(path).replace(from, to) });

  it("refuses an address, be it a registry's, a file's or a repository's", async () => {
    for (const address of ["https://example.com/zod.tgz", "http://example.com/", "git+ssh://example.com/x"]) {
      const planted = changed(lockfile, `"version":"4.0.0"`, `"version":"4.0.0","resolved":"${address}"`);
      await expectOffence(check, "to one address", planted);
    }
  });

  it("refuses versions that differ from the manifests", async () => {
    await expectOffence(
      check,
      "has another version of package.json",
      changed("package.json", `"version":"1.0.0"`, `"version":"1.0.1"`),
    );
    const jose = changed("package.json", `"jose":"6.0.0"`, `"jose":"6.0.1"`);
    await expectOffence(check, "has other devDependencies of package.json", jose);
    await expectOffence(check, "holds jose 6.0.0, package.json asks for 6.0.1", jose);
    await expectOffence(
      check,
      "has other dependencies of packages/protocol/package.json",
      changed("packages/protocol/package.json", `"zod":"4.0.0"`, `"zod":"4.0.0","jose":"6.0.0"`),
    );
    await expectOffence(
      check,
      "holds zod not at all",
      changed(lockfile, `"node_modules/zod":`, `"node_modules/zed":`),
    );
    await expectOffence(check, "does not hold packages/new/package.json", {
      "packages/new/package.json": "{}",
    });
    await expectOffence(check, "is missing", { [lockfile]: undefined });
  });

  it("refuses a package that no SHA-512 hash vouches for", async () => {
    for (const integrity of ["", "sha1-abc"]) {
      const planted = changed(lockfile, `"integrity":"sha512-zod"`, `"integrity":"${integrity}"`);
      await expectOffence(check, "holds no sha512 integrity for node_modules/zod", planted);
    }
  });

  it("refuses an .npmrc that writes addresses or lets scripts run", async () => {
    for (const setting of ["omit-lockfile-registry-resolved=true", "ignore-scripts=true"]) {
      await expectOffence(check, `does not say ${setting}`, changed(".npmrc", setting, `#${setting}`));
    }
    await expectOffence(check, "does not say", { ".npmrc": undefined });
  });
});
