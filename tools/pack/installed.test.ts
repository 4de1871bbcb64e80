import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { after, before, describe, it } from "node:test";
import { buildVersion } from "@gold-partner/command-line";
import { assert, assertEquals } from "@std/assert";
import { SyntaxKind } from "typescript/unstable/ast";
import { isRelative, packageName } from "../check/structure.ts";
import { lineOf, walk } from "../check/syntax.ts";
import { listFiles, type Tree, treeOf } from "../check/tree.ts";
import { ROOT } from "../test/tier.ts";
import { Outside, type Project } from "./outside_fixture.ts";

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const NAMES = ["canonical", "jws", "protocol", "client"] as const;
const PACKAGES = NAMES.map((name) => `@gold-partner/${name}`);
const PARTS =
  /^[a-z]+\/(package\.json|README\.md|LICENSE(\.zod)?|src\/([a-z0-9_]+\/)*[a-z0-9_]+\.(js|d\.ts))$/;
const SENT = /^(package\.json|deno\.json|README\.md|LICENSE|src\/([a-z0-9_]+\/)*[a-z0-9_]+\.ts)$/;
const FOR_TESTS = /\.test\.|testing|fixture/;

/**
 * Uses every package, and checks that no type below is `any`. Each type below would be `any` if a type on
 * which it depends were `any`.
 */
const PROGRAM = `
import { canonicalJson, readJson } from "@gold-partner/canonical";
import { type GoldClient, type GoldError, Quantity, type Quote, verifyWebhook, type WebhookEvent } from "@gold-partner/client";
import { importSigningKey, JwsError } from "@gold-partner/jws";
import { type OrderReply, orderReply, parseGrams } from "@gold-partner/protocol";

type IsAny<T> = 0 extends 1 & T ? true : false;
const known: readonly false[] = [
  false satisfies IsAny<Parameters<typeof canonicalJson>[0]>,
  false satisfies IsAny<Parameters<GoldClient["placeOrder"]>[0]["quote_id"]>,
  false satisfies IsAny<Awaited<ReturnType<GoldClient["placeOrder"]>>["total_sar"]>,
  false satisfies IsAny<ReturnType<typeof verifyWebhook>["event"]>,
  false satisfies IsAny<Awaited<ReturnType<typeof importSigningKey>>>,
  false satisfies IsAny<OrderReply>,
  false satisfies IsAny<ReturnType<typeof orderReply.parse>["total_sar"]>,
  false satisfies IsAny<Extract<WebhookEvent, { type: "order.executed" }>["data"]["order"]["total_sar"]>,
];
const units: bigint = parseGrams("1.5");
// @ts-expect-error: a quantity is read from text.
export const refused = () => parseGrams(1.5);
// @ts-expect-error: no error has this code.
export const typo = (failure: GoldError) => failure.code === "insuficient_funds";
export const keyOf = (failure: GoldError) => failure.outcomeUnknown && failure.idempotencyKey satisfies string;
export const orderOf = (client: GoldClient, quote: Quote) => client.placeOrder(quote);
const error: unknown = await importSigningKey("no key").catch((caught: unknown) => caught);
const read = readJson(new TextEncoder().encode("[]"));
console.log(known.length, String(Quantity.grams("1.50")), String(units), canonicalJson({ b: 1, a: null }), Array.isArray(read), error instanceof JwsError);
`;
const PRINTED = '8 1.5 15000 {"a":null,"b":1} true true\n';

const REQUIRING = `
import client = require("@gold-partner/client");
export const verify: typeof client.verifyWebhook = client.verifyWebhook;
`;

const settings = (lib: readonly string[], types: readonly string[], ...files: readonly string[]): string =>
  JSON.stringify({
    compilerOptions: {
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
      ...{ target: "ES2023", module: "NodeNext", lib, types },
    },
    files,
  });

interface Example {
  readonly name: string;
  readonly code: string;
  /** The output that the comments in the example show. */
  readonly shown: string;
}

/** Returns the TypeScript code blocks of a package's README. */
function examplesOf(name: string): readonly Example[] {
  const page = readFileSync(join(ROOT, "packages", name, "README.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
  assert(blocks.length > 0, `${name}/README.md has no example`);
  return blocks.map((code, n) => {
    const shown = [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, line]) => `${line}\n`).join(
      "",
    );
    assert(shown !== "", `${name}/README.md has an example without an output comment`);
    return { name: `${name}_${n}`, code, shown };
  });
}

function manifestOf({ files }: Tree, name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(files.get(`${name}/package.json`)!);
}

describe("the packages, installed from their tarballs", () => {
  let outside: Outside;
  let node: Project;
  let deno: Project;
  let tree: Tree;
  before(async () => {
    outside = await Outside.open();
    node = await outside.nodeProject(...PACKAGES, "@types/node");
    deno = await outside.denoProject(...PACKAGES.map((name) => `npm:${name}`));
    const folder = join(node.folder, "node_modules", "@gold-partner");
    const files = listFiles(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")] as const);
    tree = await treeOf(new Map(files));
  });
  after(() => outside?.close());

  it("contain only JavaScript with its types, a manifest, a README and the licence", () => {
    const paths = [...tree.files.keys()];
    assertEquals(paths.filter((path) => !PARTS.test(path) || FOR_TESTS.test(path)), []);
    for (const name of NAMES) {
      for (const file of ["README.md", "LICENSE", "src/mod.js"]) {
        assert(tree.files.has(`${name}/${file}`), `${name} has no ${file}`);
      }
    }
    const scripts = paths.filter((path) => path.endsWith(".js"));
    assertEquals(scripts.filter((path) => !tree.files.has(path.replace(/js$/, "d.ts"))), []);
  });

  it("have complete manifests for a registry and for npm install", () => {
    for (const name of NAMES) {
      const { description, keywords, dependencies, ...rest } = manifestOf(tree, name);
      assert(String(description).length > 40 && (keywords as string[]).length > 2, name);
      assertEquals(dependencies !== undefined, name === "protocol", name);
      assertEquals(rest, {
        ...{
          name: `@gold-partner/${name}`,
          version: buildVersion(version),
          license: "Apache-2.0",
          type: "module",
        },
        ...{ engines: { node: ">=20.19" }, sideEffects: false, files: ["src"] },
        ...{ main: "./src/mod.js", types: "./src/mod.d.ts" },
        exports: { ".": { types: "./src/mod.d.ts", default: "./src/mod.js" } },
      });
    }
  });

  it("import only their own files and declared dependencies, and have no type any", () => {
    const violations: string[] = [];
    for (const { path, imports, syntax } of tree.modules.values()) {
      const { dependencies = {} } = manifestOf(tree, path.split("/")[0]!);
      const kind = path.endsWith(".d.ts") ? ".d.ts" : ".js";
      for (const { specifier, line } of imports) {
        const target = posix.join(posix.dirname(path), specifier).replace(/\.js$/, kind);
        const found = isRelative(specifier)
          ? specifier.endsWith(".js") && tree.files.has(target)
          : specifier.startsWith("node:") || packageName(specifier) in (dependencies as object);
        if (!found) violations.push(`${path}:${line} imports ${specifier}`);
      }
      walk(syntax, (part) => {
        if (part.kind === SyntaxKind.AnyKeyword) {
          violations.push(`${path}:${lineOf(part, syntax)} uses the type any`);
        }
      });
    }
    assertEquals(violations, []);
  });

  it("run in plain Node, imported and required", async () => {
    await node.write("imports.mjs", `console.log(Object.keys(await import("@gold-partner/client")));`);
    await node.write("requires.cjs", `console.log(Object.keys(require("@gold-partner/client")));`);
    const names = await node.node("imports.mjs");
    assert(names.includes("verifyWebhook"), names);
    assertEquals(await node.node("requires.cjs"), names);
  });

  it("pass the type check in Node without skipLibCheck, with Node's types and with a browser's", async () => {
    await node.write("program.mts", PROGRAM);
    await node.write("requires.cts", REQUIRING);
    await node.compile(settings(["ES2023", "DOM"], [], "program.mts", "requires.cts"));
    await node.compile(settings(["ES2023"], ["node"], "program.mts", "requires.cts"));
    assertEquals(await node.node("program.mjs"), PRINTED);
  });

  it("run and pass the type check in Deno", async () => {
    await deno.write("program.ts", PROGRAM);
    assertEquals(await deno.deno("run", "--check", "program.ts"), PRINTED);
  });

  it("print the output that their READMEs show", async () => {
    // Leave out the client's example, because it needs a service. The client's own tests run it.
    const examples = ["canonical", "jws", "protocol"].flatMap(examplesOf);
    for (const { name, code } of examples) {
      await node.write(`${name}.mts`, code);
      await deno.write(`${name}.ts`, code);
    }
    await node.compile(settings(["ES2023"], ["node"], ...examples.map(({ name }) => `${name}.mts`)));
    await deno.deno("check", ...examples.map(({ name }) => `${name}.ts`));
    for (const { name, shown } of examples) {
      assertEquals(await node.node(`${name}.mjs`), shown, name);
      assertEquals(await deno.deno("run", `${name}.ts`), shown, name);
    }
  });

  it("can be published by deno publish without test files, and run in Deno from a JSR registry", async () => {
    const publications = await outside.publish();
    assertEquals([...publications.keys()], [...NAMES]);
    for (const [name, files] of publications) {
      const paths = [...files.keys()];
      assertEquals(paths.filter((path) => !SENT.test(path) || FOR_TESTS.test(path)), [], name);
      for (const file of ["README.md", "LICENSE"]) assert(files.has(file), `${name} has no ${file}`);
    }
    // Without a version, Deno adds only releases.
    const reader = await outside.denoProject(...PACKAGES.map((name) => `jsr:${name}@${version}`));
    await reader.write("program.ts", PROGRAM);
    assertEquals(await reader.deno("run", "--check", "program.ts"), PRINTED);
  });
});
