import { posix } from "node:path";

const LOCKFILE = "package-lock.json";
const PYPROJECT = "packages/client/python/pyproject.toml";
const POM = "packages/client/java/pom.xml";
const CSPROJ = "packages/client/csharp/GoldPartner.csproj";
const KUSTOMIZATION = "deploy/kubernetes/kustomization.yaml";
const MANIFEST = /^(packages\/[^/]+\/)?(package|deno)\.json$/;

type Files = ReadonlyMap<string, string>;

interface LockedPackage {
  version?: string;
  readonly link?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

/**
 * Returns the files that change for `version`: the manifests, with their dependencies on siblings, the
 * lockfile, the manifests of the Python, the Java and the C# package, and the kustomization for Kubernetes.
 */
export function withVersion(files: Files, version: string): Map<string, string> {
  const manifests = [...files].filter(([path]) => MANIFEST.test(path));
  const siblings = manifests.filter(([path]) => posix.dirname(path) !== ".")
    .map(([, text]) => (JSON.parse(text) as { name: string }).name);
  const changed = new Map(manifests.map(([path, text]) => [path, setVersions(text, siblings, version)]));
  changed.set(LOCKFILE, setLockedVersions(files.get(LOCKFILE)!, siblings, version));
  changed.set(PYPROJECT, files.get(PYPROJECT)!.replace(/^(version = )".+"$/m, `$1"${version}"`));
  const ownVersion = /(<artifactId>gold-partner<\/artifactId>\s*<version>)[^<]+/;
  changed.set(POM, files.get(POM)!.replace(ownVersion, `$1${version}`));
  changed.set(CSPROJ, files.get(CSPROJ)!.replace(/(<Version>)[^<]+/, `$1${version}`));
  changed.set(KUSTOMIZATION, files.get(KUSTOMIZATION)!.replace(/^( *newTag: )\S+$/m, `$1${version}`));
  return new Map([...changed].filter(([path, text]) => files.get(path) !== text));
}

/** Replaces the version in the text, so that the manifest keeps its formatting. */
function setVersions(text: string, siblings: readonly string[], version: string): string {
  const names = ["version", ...siblings].join("|");
  return text.replace(new RegExp(`("(?:${names})":\\s*)"\\d+\\.\\d+\\.\\d+"`, "g"), `$1"${version}"`);
}

function setLockedVersions(text: string, siblings: readonly string[], version: string): string {
  const lockfile = JSON.parse(text) as { version?: string; packages: Record<string, LockedPackage> };
  if (lockfile.version !== undefined) lockfile.version = version;
  for (const [place, locked] of Object.entries(lockfile.packages)) {
    if (place.includes("node_modules/")) continue;
    locked.version = version;
    for (const dependencies of [locked.dependencies ?? {}, locked.devDependencies ?? {}]) {
      for (const name of siblings) if (dependencies[name] !== undefined) dependencies[name] = version;
    }
  }
  return `${JSON.stringify(lockfile, null, 2)}\n`;
}
