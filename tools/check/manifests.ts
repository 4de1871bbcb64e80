import { posix } from "node:path";
import { isRelative, packageName, partOf, PUBLISHED } from "./structure.ts";
import type { Violation } from "./violation.ts";
import { isTest, type Tree } from "./tree.ts";

interface Manifest {
  readonly path: string;
  readonly folder: string;
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Stands in for a published package. It has that package's name and version. */
const STAND_IN = "tools/std_assert";
const WORKSPACES = `packages/*,${STAND_IN}`;

/** Dependencies that are started as programs and not imported. */
const PROGRAMS = new Set(["deno", "tsx"]);

/** Requires that versions, licences and dependencies agree in every package.json and deno.json. */
export function findManifestViolations(tree: Tree): Violation[] {
  const manifests = readManifests(tree, "package.json");
  const root = manifests.find(({ folder }) => folder === "");
  if (!root) return [{ path: "package.json", says: "is missing." }];
  const judge = { manifests, root, denos: readManifests(tree, "deno.json"), tree };
  return [
    ...findUnequalIdentities(judge),
    ...findUnlicensed(judge),
    ...findUnequalWorkspaces(judge),
    ...findLooseVersions(judge),
    ...findUndeclared(judge),
    ...findUnused(judge),
  ];
}

interface Repository {
  readonly tree: Tree;
  readonly root: Manifest;
  readonly manifests: readonly Manifest[];
  readonly denos: readonly Manifest[];
}

function readManifests(tree: Tree, file: string): Manifest[] {
  return [...tree.files].flatMap(([path, text]) => {
    if (posix.basename(path) !== file || !/^(packages\/[^/]+\/)?[^/]+$/.test(path)) return [];
    const folder = posix.dirname(path);
    return [{ ...JSON.parse(text) as Manifest, path, folder: folder === "." ? "" : folder }];
  });
}

function findUnequalIdentities({ manifests, denos, root }: Repository): Violation[] {
  const members = [...manifests, ...denos.filter(({ folder }) => folder !== "")];
  return members.flatMap(({ path, folder, name, version, license }) => {
    const twin = manifests.find((each) => each.folder === folder);
    return [
      ...(version === root.version
        ? []
        : [{ path, says: `has version ${version}; every package must have ${root.version}.` }]),
      ...(license === root.license
        ? []
        : [{ path, says: `has license ${license}; every package must have ${root.license}.` }]),
      ...(name === twin?.name
        ? []
        : [{ path, says: `is named ${name}, but its package.json is named ${twin?.name}.` }]),
    ];
  });
}

/**
 * Each published package needs its own copy of the licence, because a registry shows the package without the
 * root's files.
 */
function findUnlicensed({ tree, manifests }: Repository): Violation[] {
  return manifests
    .filter(({ folder }) => PUBLISHED.includes(folder) && !tree.files.has(`${folder}/LICENSE`))
    .map(({ folder }) => ({
      path: folder,
      says: "is published and has no LICENSE file: copy it from the root.",
    }));
}

function findUnequalWorkspaces({ manifests, denos, root }: Repository): Violation[] {
  const rootDeno = denos.find(({ folder }) => folder === "") as { workspace?: string[] } | undefined;
  const listed = new Set(rootDeno?.workspace?.map((member) => member.replace(/^\.\//, "")));
  listed.delete(STAND_IN);
  const members = new Set(manifests.map(({ folder }) => folder).filter((folder) => folder !== ""));
  const violations: Violation[] = [];
  if (root.workspaces?.join() !== WORKSPACES) {
    violations.push({ path: "package.json", says: `must have exactly these workspaces: ${WORKSPACES}.` });
  }
  for (const folder of members) {
    if (!listed.has(folder)) {
      violations.push({ path: "deno.json", says: `does not list ./${folder} in its workspace.` });
    }
    const hasDeno = denos.some((deno) => deno.folder === folder);
    if (!hasDeno) violations.push({ path: folder, says: "has a package.json but no deno.json." });
  }
  for (const folder of listed) {
    if (!members.has(folder)) {
      violations.push({ path: "deno.json", says: `lists ./${folder}, which is not an npm workspace.` });
    }
  }
  return violations;
}

function dependenciesOf({ dependencies, devDependencies }: Manifest): [name: string, version: string][] {
  return [...Object.entries(dependencies ?? {}), ...Object.entries(devDependencies ?? {})];
}

function findLooseVersions({ manifests, root }: Repository): Violation[] {
  const siblings = new Set(manifests.map(({ name }) => name));
  const first = new Map<string, { version: string; path: string }>();
  const violations: Violation[] = [];
  for (const manifest of manifests) {
    const { path } = manifest;
    for (const [name, version] of dependenciesOf(manifest)) {
      if (!/^(npm:(@[\w-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
        violations.push({ path, says: `requires ${name} ${version}: pin one exact version.` });
      }
      if (siblings.has(name) && version !== root.version) {
        violations.push({
          path,
          says: `requires the sibling ${name} ${version}, but its version is ${root.version}.`,
        });
      }
      const other = first.get(name) ?? { version, path };
      first.set(name, other);
      if (other.version !== version) {
        violations.push({
          path,
          says:
            `requires ${name} ${version}, but ${other.path} requires ${other.version}: choose one version.`,
        });
      }
    }
  }
  return violations;
}

/**
 * Finds imports of a package's own code that the package does not declare. For an import that only the tests
 * have, a declaration in the root is enough.
 */
function findUndeclared({ tree, manifests, root }: Repository): Violation[] {
  const siblings = new Set(manifests.map(({ name }) => name));
  const violations: Violation[] = [];
  for (const { path, imports } of tree.modules.values()) {
    const owner = manifests.find(({ folder }) => folder !== "" && folder === partOf(path)) ?? root;
    const declared = new Set(dependenciesOf(owner).map(([name]) => name));
    if (isTest(path) || owner === root) {
      for (const [name] of dependenciesOf(root)) declared.add(name);
      for (const name of siblings) if (name) declared.add(name);
    }
    for (const { specifier, line, kind } of imports) {
      const name = packageName(specifier);
      if (specifier === "" || isRelative(specifier) || /^(node:|k6(\/|$))/.test(specifier)) continue;
      if (declared.has(name) || (kind === "type" && declared.has(`@types/${name}`))) continue;
      violations.push({ path, line, says: `imports ${name}, which ${owner.path} does not declare.` });
    }
  }
  return violations;
}

function findUnused({ tree, manifests, root }: Repository): Violation[] {
  return manifests.flatMap((manifest) => {
    const used = new Set(
      [...tree.modules.values()]
        .filter(({ path }) => manifest === root || partOf(path) === manifest.folder)
        .flatMap(({ imports }) => imports.map(({ specifier }) => packageName(specifier))),
    );
    return dependenciesOf(manifest).flatMap(([name]) => {
      const types = /^@types\/(.+)$/.exec(name)?.[1];
      if (used.has(name) || PROGRAMS.has(name) || types === "node" || (types && used.has(types))) return [];
      return [{ path: manifest.path, says: `declares ${name}, which nothing in this package imports.` }];
    });
  });
}
