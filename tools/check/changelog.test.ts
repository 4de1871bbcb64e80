import { describe, it } from "node:test";
import { changed, expectViolation } from "./sample_tree.ts";

describe("versions agree with the changelog", () => {
  const check = "versions agree with the changelog";

  it("rejects a version in package.json, pyproject.toml, pom.xml, GoldPartner.csproj or Kubernetes that is not the newest release", async () => {
    for (
      const path of [
        "package.json",
        "packages/client/python/pyproject.toml",
        "packages/client/java/pom.xml",
        "packages/client/csharp/GoldPartner.csproj",
        "deploy/kubernetes/kustomization.yaml",
      ]
    ) {
      await expectViolation(
        check,
        `${path} has version 1.1.0, but the newest release in CHANGELOG.md is 1.0.0`,
        changed(path, "1.0.0", "1.1.0"),
      );
    }
  });

  it("rejects a release whose version is in no manifest", async () => {
    const planted = changed("CHANGELOG.md", "1.1.0 (unreleased)", "1.1.0 (2026-02-03)");
    await expectViolation(check, "package.json has version 1.0.0", planted);
  });

  it("rejects a changelog that is missing or cannot be parsed", async () => {
    await expectViolation(check, "CHANGELOG.md cannot be read: The changelog holds no release", {
      "CHANGELOG.md": undefined,
    });
    await expectViolation(check, "CHANGELOG.md cannot be read", changed("CHANGELOG.md", "(unreleased)", ""));
  });
});
