import { posix } from "node:path";
import { CARRIERS, versionFor } from "./version_carriers.ts";

const LOCKFILE = "package-lock.json";
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
  for (const carrier of CARRIERS) {
    const text = changed.get(carrier.path) ?? files.get(carrier.path)!;
    changed.set(carrier.path, text.replace(carrier.pattern, versionFor(carrier, version)));
  }
  return new Map([...changed].filter(([path, text]) => files.get(path) !== text));
}

/** Replaces the version in the text, so that the manifest keeps its formatting. */
function setVersions(text: string, siblings: readonly string[], version: string): string {
  const names = ["version", ...siblings].join("|");
  return text.replace(
    new RegExp(`("(?:${names})":\\s*)"\\d+\\.\\d+\\.\\d+(?:-dev)?"`, "g"),
    `$1"${version}"`,
  );
}

function setLockedVersions(text: string, siblings: readonly string[], version: string): string {
  const lockfile = JSON.parse(text) as { version?: string; packages: Record<string, LockedPackage> };
  if (lockfile.version !== undefined) lockfile.version = version;
  for (const [place, locked] of Object.entries(lockfile.packages)) {
    if (place !== "" && !/^packages\/[^/]+$/.test(place)) continue;
    locked.version = version;
    for (const dependencies of [locked.dependencies ?? {}, locked.devDependencies ?? {}]) {
      for (const name of siblings) if (dependencies[name] !== undefined) dependencies[name] = version;
    }
  }
  return `${JSON.stringify(lockfile, null, 2)}\n`;
}
