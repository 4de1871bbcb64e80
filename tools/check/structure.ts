// The structure of the repository as data: which package or folder may import which. Every check of packages
// or of the server's folders reads this file.
import { posix } from "node:path";
import type { Tree } from "./tree.ts";

const CORE = ["packages/canonical", "packages/jws", "packages/protocol"] as const;
const CLIENT = [...CORE, "packages/client"] as const;

const WHOLE_STACK = [
  ...CLIENT,
  "packages/approvals",
  "packages/command_line",
  "packages/database",
  "packages/partner_cli",
  "packages/server",
  "packages/audit",
  "packages/sidecar",
  "packages/operator",
  "packages/dev",
  "tools/testing",
  "vectors",
] as const;

/**
 * Each package or folder, in reading order, with what it may import: packages by name, other folders by path.
 */
export const FLOW: Readonly<Record<string, readonly string[]>> = {
  "tools/testing": [],
  "packages/canonical": [],
  "packages/jws": CORE.slice(0, 1),
  "packages/approvals": CORE.slice(0, 2),
  "packages/protocol": CORE.slice(0, 2),
  "packages/client": CORE,
  "packages/command_line": [],
  "packages/partner_cli": [...CLIENT, "packages/command_line"],
  "packages/database": [],
  "packages/server": [...CORE, "packages/approvals", "packages/command_line", "packages/database"],
  "packages/sidecar": [...CLIENT, "packages/approvals", "packages/command_line", "packages/database"],
  "packages/audit": [...CORE, "packages/approvals", "packages/database"],
  "packages/operator": [
    ...CLIENT,
    "packages/approvals",
    "packages/command_line",
    "packages/database",
    "packages/server",
    "packages/audit",
  ],
  "packages/dev": [
    ...CLIENT,
    "packages/command_line",
    "packages/server",
    "packages/operator",
    "packages/sidecar",
    "tools/testing",
  ],
  "vectors": [...CORE, "tools/testing"],
  "site": CORE,
  "deploy": CORE,
  "loadtest": CORE, // by path, because k6 resolves no package names
  "e2e": [...WHOLE_STACK, "tools/prove", "site"],
  "tools/prove": WHOLE_STACK,
  "tools/bench": [...WHOLE_STACK, "tools/prove"],
  "tools": [
    ...CLIENT,
    "packages/approvals",
    "packages/command_line",
    "packages/database",
    "packages/server",
    "packages/audit",
    "packages/dev",
    "tools/testing",
    "tools/bench",
    "vectors",
    "loadtest",
  ],
};

/**
 * The published packages. Their `src/mod.ts` is the public entry point, so its exports are for users outside
 * this repository.
 */
export const PUBLISHED: readonly string[] = CLIENT;

/**
 * All folders of the server (modules) and their subfolders (steps), in order. Each may import only earlier
 * folders. A folder that is missing here is a violation.
 */
export const MODULES: readonly (readonly [module: string, ...steps: string[]])[] = [
  ["settings"],
  ["operations"],
  ["http", "turns", "wire", "outbound"],
  ["database", "schema", "proposals"],
  ["admission", "query", "body", "rate", "registry", "identity", "token", "signature", "usage"],
  [
    "booking",
    "ledger",
    "nonce",
    "idempotency",
    "allowance",
    "outbox",
    "trading",
    "funding",
    "deposit",
    "withdrawal",
    "redelivery",
    "change",
    "simulation",
  ],
  ["delivery", "send", "expiry", "closing"],
  ["reads", "operators"],
  ["streams"],
  ["routes", "docs_page", "probe"],
  ["process"],
];

/** Postgres on this machine, which tests of every package start. */
export const POSTGRES = "@gold-partner/dev/postgres";

/** Returns the package or folder of FLOW that contains a file; undefined for the files at the root. */
export function partOf(path: string): string | undefined {
  const [top, second] = path.split("/");
  if (!path.includes("/")) return undefined;
  const part = `${top}/${second}`;
  return top === "packages" || part in FLOW ? part : top;
}

/** Maps each package's name to its folder, as read from its manifest. */
export function packageFolders(tree: Tree): Map<string, string> {
  const folders = new Map<string, string>();
  for (const [path, text] of tree.files) {
    if (/^packages\/[^/]+\/package\.json$/.test(path)) {
      folders.set((JSON.parse(text) as { name: string }).name, posix.dirname(path));
    }
  }
  return folders;
}

/** Returns the package's own name: "@scope/name" for "@scope/name/deep", and "name" for "name/deep". */
export function packageName(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

export function isRelative(specifier: string): boolean {
  return /^\.{1,2}\//.test(specifier);
}

/** Returns the path of an imported file of this repository; undefined for other imports. */
export function targetOf(
  from: string,
  specifier: string,
  folders: ReadonlyMap<string, string>,
): string | undefined {
  if (isRelative(specifier)) return posix.join(posix.dirname(from), specifier);
  if (specifier === POSTGRES) return "packages/dev/src/postgres/mod.ts";
  const folder = folders.get(specifier);
  return folder && `${folder}/src/mod.ts`;
}
