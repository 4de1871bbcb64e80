import { CHECKS } from "./checks.ts";
import { type Tree, treeOf } from "./tree.ts";

const manifest = (name: string, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ name, version: "1.1.0-dev", license: "Apache-2.0", exports: "./src/mod.ts", ...more });

const locked = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  version: "1.1.0-dev",
  ...more,
});
/** A well-formed hash. It differs from package to package, so that a test can replace one. */
export const sha512Of = (name: string): string => `sha512-${name.padEnd(86, "A")}==`;
const ROOT_PACKAGES = { devDependencies: { jose: "6.0.0", tsx: "4.0.0" } };
const JWS_PACKAGES = { dependencies: { "@gold-partner/canonical": "1.1.0-dev" } };
const PROTOCOL_PACKAGES = { dependencies: { "@gold-partner/canonical": "1.1.0-dev", zod: "4.0.0" } };

/** A small repository in memory that breaks no rule. */
const CLEAN: Readonly<Record<string, string>> = {
  "CHANGELOG.md":
    "# Changelog\n\n## 1.1.0 (unreleased)\n\n- A change.\n\n## 1.0.0 (2026-01-02, commit 0123abc)\n",
  "packages/client/java/pom.xml":
    "<artifactId>gold-partner</artifactId>\n<version>1.1.0-SNAPSHOT</version>\n",
  "packages/client/csharp/GoldPartner.csproj": "<Version>1.1.0-dev</Version>\n",
  "packages/client/python/pyproject.toml": '[project]\nname = "house"\nversion = "1.1.0.dev0"\n',
  "deploy/kubernetes/kustomization.yaml": "images:\n  - name: service\n    newTag: 1.1.0-dev\n",
  ".npmrc": "omit-lockfile-registry-resolved=true\nignore-scripts=true\n",
  "package.json": manifest("house", { workspaces: ["packages/*", "tools/std_assert"], ...ROOT_PACKAGES }),
  "package-lock.json": JSON.stringify({
    packages: {
      "": locked("house", ROOT_PACKAGES),
      "packages/canonical": locked("@gold-partner/canonical"),
      "packages/jws": locked("@gold-partner/jws", JWS_PACKAGES),
      "packages/protocol": locked("@gold-partner/protocol", PROTOCOL_PACKAGES),
      "node_modules/@gold-partner/canonical": { resolved: "packages/canonical", link: true },
      "node_modules/jose": { version: "6.0.0", integrity: sha512Of("jose") },
      "node_modules/tsx": { version: "4.0.0", integrity: sha512Of("tsx") },
      "node_modules/zod": { version: "4.0.0", integrity: sha512Of("zod") },
    },
  }),
  "deno.json": JSON.stringify({
    workspace: ["./packages/canonical", "./packages/jws", "./packages/protocol"],
  }),
  "packages/canonical/LICENSE": "The licence.",
  "packages/canonical/package.json": manifest("@gold-partner/canonical"),
  "packages/canonical/deno.json": manifest("@gold-partner/canonical"),
  "packages/canonical/src/mod.ts": `export { canonical } from "./canonical.ts";`,
  "packages/canonical/src/canonical.ts": `export const canonical = (text: string): string => text;`,
  "packages/canonical/src/canonical.test.ts":
    `import { jwtVerify } from "jose";\nnew TextEncoder();\njwtVerify;`,
  "packages/jws/LICENSE": "The licence.",
  "packages/jws/package.json": manifest("@gold-partner/jws", JWS_PACKAGES),
  "packages/jws/deno.json": manifest("@gold-partner/jws"),
  "packages/jws/src/mod.ts":
    `import type { canonical } from "@gold-partner/canonical";\nexport type Sign = typeof canonical;`,
  "packages/protocol/LICENSE": "The licence.",
  "packages/protocol/package.json": manifest("@gold-partner/protocol", PROTOCOL_PACKAGES),
  "packages/protocol/deno.json": manifest("@gold-partner/protocol"),
  "packages/protocol/src/mod.ts": `export * from "./price.ts";`,
  "packages/protocol/src/price.ts": `import { z } from "zod";
import { canonical } from "@gold-partner/canonical";
export const askPrice = (priceUnits: bigint): bigint => priceUnits * 2n;
export const limit = (pages: string): number => Number(canonical(pages)) + z.length;`,
  "packages/protocol/src/request/sign.ts":
    `export const sign = (bytes: { utf8(text: string): Uint8Array }) => bytes.utf8("");`,
  "loadtest/order.ts": `import http from "k6/http";
import { sign } from "../packages/protocol/src/request/sign.ts";
export const options = {};
export default function order(): void { http.get(String(sign)); }`,
};

/** Returns the clean repository with some files replaced or added. The value undefined removes a file. */
export function plant(files: Files = {}): Promise<Tree> {
  const planted = Object.entries({ ...CLEAN, ...files });
  return treeOf(new Map(planted.flatMap(([path, text]) => text === undefined ? [] : [[path, text]])));
}

export const CANONICAL = "packages/canonical/src/canonical.ts";
export const PRICE = "packages/protocol/src/price.ts";
export const SIGN = "packages/protocol/src/request/sign.ts";

/** Returns the text of a file of the clean repository. */
export function clean(path: string): string {
  const text = CLEAN[path];
  if (text === undefined) throw new Error(`The clean repository has no ${path}.`);
  return text;
}

/** Returns what all checks find, as "check: path says". */
export async function find(files: Files): Promise<string[]> {
  const tree = await plant(files);
  return Object.entries(CHECKS).flatMap(([name, check]) =>
    check(tree).map(({ path, says }) => `${name}: ${path} ${says}`)
  );
}

type Files = Readonly<Record<string, string | undefined>>;

export async function expectViolation(check: string, says: string, files: Files): Promise<void> {
  const found = await find(files);
  if (found.some((violation) => violation.startsWith(`${check}: `) && violation.includes(says))) return;
  throw new Error(`"${check}" should report "${says}"; found:\n${found.join("\n") || "nothing"}`);
}

/** Expects the same sentence for each of these changes of the clean repository. */
export async function expectEach(check: string, says: string, changes: readonly Files[]): Promise<void> {
  for (const files of changes) await expectViolation(check, says, files);
}

/** Replaces a text in a file of the clean repository. */
export function changed(path: string, from: string, to: string): Record<string, string> {
  const text = clean(path);
  if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
  return { [path]: text.replace(from, to) };
}

/** Puts lines before the first line of a file of the clean repository. */
export const before = (path: string, lines: string) => ({ [path]: `${lines}\n${clean(path)}` });

/** Adds lines after the last line of a file of the clean repository. */
export const after = (path: string, lines: string) => ({ [path]: `${clean(path)}\n${lines}` });
