import { basename } from "node:path";
import type { Violation } from "./violation.ts";
import type { Tree } from "./tree.ts";

type Versions = Readonly<Record<string, string>>;

interface Entry {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
}

const LOCKFILE = "package-lock.json";
const SHRINKWRAP = "npm-shrinkwrap.json";
/** npm accepts any content for a hash that it cannot read, such as `sha512-`. */
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;
const NPMRC = ".npmrc";
/**
 * The first setting keeps the address of one machine's registry out of the lockfile. The second stops npm 10
 * from running install scripts; nothing else does.
 */
const SETTINGS = ["omit-lockfile-registry-resolved=true", "ignore-scripts=true"];

/**
 * Requires that npm installs exactly what the manifests say and runs no install script. The lockfile must not
 * name a registry, so that npm uses the registry that is configured on the machine.
 */
export function findLockfileViolations(tree: Tree): Violation[] {
  const npmrc = tree.files.get(NPMRC)?.split("\n") ?? [];
  const violations = SETTINGS.filter((setting) => !npmrc.includes(setting))
    .map((setting) => ({ path: NPMRC, says: `does not contain the line ${setting}.` }));
  const text = tree.files.get(LOCKFILE);
  if (text === undefined) return [...violations, { path: LOCKFILE, says: "is missing." }];
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Entry>> };
  const remote = Object.entries(packages).flatMap(([place, { resolved = "" }]) =>
    /^[a-z+]+:/.test(resolved)
      ? [{
        path: LOCKFILE,
        says: `resolves ${place} to a fixed address: run npm install with ${NPMRC} in place.`,
      }]
      : []
  );
  // npm ci reads a shrinkwrap instead of the lockfile beside it.
  const shrinkwraps = [...tree.files.keys()].filter((path) => basename(path) === SHRINKWRAP)
    .map((path) => ({ path, says: `hides ${LOCKFILE} from npm ci: remove it.` }));
  const unverified = [...tree.files].filter(([path]) => basename(path) === LOCKFILE).flatMap(findUnverified);
  return [...violations, ...remote, ...shrinkwraps, ...unverified, ...findStale(tree, packages)];
}

/**
 * Finds packages in a lockfile without a SHA-512 hash, because npm accepts any content for them from the
 * registry. A hash can be missing because npm drops it for a package that npm did not download itself. A link
 * needs no hash if the lockfile has the folder that it leads to.
 */
function findUnverified([path, text]: readonly [string, string]): Violation[] {
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Entry>> };
  return Object.entries(packages)
    .filter(([place, { link, resolved, integrity = "" }]) =>
      place.includes("node_modules/") && !(link ? resolved && packages[resolved] : SHA512.test(integrity))
    )
    .map(([place, { version }]) => {
      const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
      return {
        path,
        says:
          `has no sha512 integrity for ${place}: add the output of npm view ${name}@${version} dist.integrity.`,
      };
    });
}

function findStale(tree: Tree, packages: Readonly<Record<string, Entry>>): Violation[] {
  const stale = (what: string): Violation => ({ path: LOCKFILE, says: `${what}: run npm install.` });
  return [...tree.files].flatMap(([path, text]) => {
    const folder = /^(packages\/[^/]+|)\/?package\.json$/.exec(path)?.[1];
    if (folder === undefined) return [];
    const manifest = JSON.parse(text) as Entry;
    const locked = packages[folder];
    if (!locked) return [stale(`does not contain ${path}`)];
    const violations = manifest.version === locked.version
      ? []
      : [stale(`has a different version than ${path}`)];
    for (const kind of ["dependencies", "devDependencies"] as const) {
      if (textOf(manifest[kind]) !== textOf(locked[kind])) {
        violations.push(stale(`has different ${kind} than ${path}`));
      }
      for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
        const installed = packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
        if (installed?.link || installed?.version === version.replace(/^npm:.+@/, "")) continue;
        violations.push(
          stale(`has ${name} ${installed?.version ?? "(missing)"}, but ${path} requires ${version}`),
        );
      }
    }
    return violations;
  });
}

function textOf(versions: Versions = {}): string {
  return Object.entries(versions).map((each) => each.join("@")).sort().join();
}
