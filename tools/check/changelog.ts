import { parseChangelog } from "../testing/release/changelog.ts";
import type { Violation } from "./violation.ts";
import type { Tree } from "./tree.ts";

const CHANGELOG = "CHANGELOG.md";

/**
 * The files that contain the version, each with a function that reads it. The manifests of the packages are
 * not listed: manifests.ts compares their versions with that of the root package.json.
 */
const CARRIERS: Readonly<Record<string, (text: string) => string | undefined>> = {
  "package.json": (text) => (JSON.parse(text) as { version?: string }).version,
  "packages/client/python/pyproject.toml": (text) => /^version = "(.+)"$/m.exec(text)?.[1],
  "packages/client/java/pom.xml": (text) =>
    /<artifactId>gold-partner<\/artifactId>\s*<version>(.+)<\/version>/.exec(text)?.[1],
  "packages/client/csharp/GoldPartner.csproj": (text) => /<Version>(.+)<\/Version>/.exec(text)?.[1],
  "deploy/kubernetes/kustomization.yaml": (text) => /^ *newTag: (\S+)$/m.exec(text)?.[1],
};

/** Requires that each of these files has the version of the newest release in the changelog. */
export function findVersionViolations({ files }: Tree): Violation[] {
  let version: string;
  try {
    version = parseChangelog(files.get(CHANGELOG) ?? "").releases[0].version;
  } catch (error) {
    return [{ path: CHANGELOG, says: `cannot be read: ${(error as Error).message}` }];
  }
  return Object.entries(CARRIERS).flatMap(([path, read]) => {
    const text = files.get(path);
    const found = text && read(text);
    if (found === version) return [];
    const says =
      `has version ${found}, but the newest release in ${CHANGELOG} is ${version}. Change both with npm run release.`;
    return [{ path, says }];
  });
}
