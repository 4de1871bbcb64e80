import { CARRIERS, unreleased, versionFor } from "../release/version_carriers.ts";
import { parseChangelog } from "../testing/release/changelog.ts";
import type { Violation } from "./violation.ts";
import type { Tree } from "./tree.ts";

const CHANGELOG = "CHANGELOG.md";

/**
 * Requires that each file of CARRIERS has the version of the newest release. If the changelog collects
 * changes for VERSION, the file must have VERSION-dev. manifests.ts compares the packages' manifests with the
 * root's.
 */
export function findVersionViolations({ files }: Tree): Violation[] {
  let version: string;
  try {
    const { unreleased: next, releases } = parseChangelog(files.get(CHANGELOG) ?? "");
    version = next === undefined ? releases[0].version : unreleased(next);
  } catch (error) {
    return [{ path: CHANGELOG, says: `cannot be read: ${(error as Error).message}` }];
  }
  return CARRIERS.flatMap((carrier) => {
    const found = carrier.pattern.exec(files.get(carrier.path) ?? "")?.[0];
    const wanted = versionFor(carrier, version);
    if (found === wanted) return [];
    const says = `has version ${found}, but ${CHANGELOG} says ${wanted}. Change both with npm run release.`;
    return [{ path: carrier.path, says }];
  });
}
