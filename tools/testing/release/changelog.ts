// CHANGELOG.md is the one list of releases: `## 0.1.0 (2026-11-21, commit 7a4215c)`.

/** A version that was released. */
export interface Release {
  readonly version: string;
  /** The day of the release, as YYYY-MM-DD. */
  readonly date: string;
  /**
   * The abbreviated hash of the release commit. Absent only in that commit itself, which cannot contain its
   * own hash.
   */
  readonly commit?: string;
}

interface Changelog {
  /** The version that collects changes now. */
  readonly unreleased?: string;
  /** Newest first, never empty. */
  readonly releases: readonly [Release, ...Release[]];
}

const HEADING = /^## (\S+) \((?:(unreleased)|(\d{4}-\d{2}-\d{2})(?:, commit ([0-9a-f]{7,40}))?)\)$/;
const VERSION = /^\d+\.\d+\.\d+$/;

/** Throws an error with one sentence for a changelog that breaks the rules of its headings. */
export function parseChangelog(text: string): Changelog {
  const headings = text.split("\n").filter((line) => /^##?(?!#)/.test(line)).slice(1).map(parseHeading);
  const [first] = headings;
  const released = headings.flatMap(({ release }) => release ?? []);
  const versions = headings.map(({ version }) => version);
  versions.slice(1).forEach((version, index) => {
    if (compareVersions(versions[index]!, version) <= 0) {
      throw new Error(`Version ${version} must not come after ${versions[index]}: list the newest first.`);
    }
  });
  if (headings.slice(1).some(({ release }) => release?.commit === undefined)) {
    throw new Error("Only the first heading may lack its date or commit.");
  }
  const [last, ...earlier] = released;
  if (!last) throw new Error("The changelog holds no release.");
  return {
    ...(first?.release === undefined ? { unreleased: first!.version } : {}),
    releases: [last, ...earlier],
  };
}

function parseHeading(line: string): { readonly version: string; readonly release?: Release } {
  const [, version = "", unreleased, date = "", commit] = HEADING.exec(line) ?? [];
  if (!VERSION.test(version)) {
    throw new Error(
      `The heading must be "## VERSION (DATE, commit COMMIT)" or "## VERSION (unreleased)"; got "${line}".`,
    );
  }
  if (unreleased) return { version };
  return { version, release: { version, date, ...(commit === undefined ? {} : { commit }) } };
}

/** Negative if `left` is the older version. */
export function compareVersions(left: string, right: string): number {
  const parts = (version: string) => version.split(".").map(Number);
  const others = parts(right);
  return parts(left).map((part, index) => part - others[index]!).find((difference) => difference !== 0) ?? 0;
}
