/** A file that contains the version once, beside the manifests of the packages for npm and Deno. */
interface VersionCarrier {
  readonly path: string;
  /** Matches the version alone. */
  readonly pattern: RegExp;
  /** What this registry appends to a version that is not released, where it does not allow "-dev". */
  readonly unreleasedEnd?: string;
}

const UNRELEASED_END = "-dev";

export const CARRIERS: readonly VersionCarrier[] = [
  { path: "package.json", pattern: /(?<="version": ?")[^"]+/ },
  {
    path: "packages/client/python/pyproject.toml",
    pattern: /(?<=^version = ").+(?="$)/m,
    unreleasedEnd: ".dev0",
  },
  {
    path: "packages/client/java/pom.xml",
    pattern: /(?<=<artifactId>gold-partner<\/artifactId>\s*<version>)[^<]+/,
    unreleasedEnd: "-SNAPSHOT",
  },
  { path: "packages/client/csharp/GoldPartner.csproj", pattern: /(?<=<Version>)[^<]+/ },
  { path: "deploy/kubernetes/kustomization.yaml", pattern: /(?<=^ *newTag: )\S+$/m },
];

/** Returns the version of the manifests while the changelog collects changes for `version`. */
export const unreleased = (version: string): string => version + UNRELEASED_END;

/** Returns a version as the registry of this file writes it: 0.7.0-dev is 0.7.0.dev0 on PyPI. */
export const versionFor = ({ unreleasedEnd = UNRELEASED_END }: VersionCarrier, version: string): string =>
  version.endsWith(UNRELEASED_END) ? version.slice(0, -UNRELEASED_END.length) + unreleasedEnd : version;
