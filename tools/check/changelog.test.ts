import { describe, it } from "node:test";
import { changed, expectViolation } from "./sample_tree.ts";

describe("versions agree with the changelog", () => {
  const check = "versions agree with the changelog";

  it("rejects a version in package.json, pyproject.toml, pom.xml, GoldPartner.csproj or Kubernetes that says too much or too little", async () => {
    for (
      const [path, wanted] of [
        ["package.json", "1.1.0-dev"],
        ["packages/client/python/pyproject.toml", "1.1.0.dev0"],
        ["packages/client/java/pom.xml", "1.1.0-SNAPSHOT"],
        ["packages/client/csharp/GoldPartner.csproj", "1.1.0-dev"],
        ["deploy/kubernetes/kustomization.yaml", "1.1.0-dev"],
      ] as const
    ) {
      for (const found of ["1.1.0", "1.0.0"]) {
        await expectViolation(
          check,
          `${path} has version ${found}, but CHANGELOG.md says ${wanted}`,
          changed(path, wanted, found),
        );
      }
    }
  });

  it("rejects a release whose version is in no manifest", async () => {
    const planted = changed("CHANGELOG.md", "1.1.0 (unreleased)", "1.1.0 (2026-02-03)");
    await expectViolation(check, "package.json has version 1.1.0-dev", planted);
  });

  it("rejects a changelog that is missing or cannot be parsed", async () => {
    await expectViolation(check, "CHANGELOG.md cannot be read: The changelog holds no release", {
      "CHANGELOG.md": undefined,
    });
    await expectViolation(check, "CHANGELOG.md cannot be read", changed("CHANGELOG.md", "(unreleased)", ""));
  });
});
