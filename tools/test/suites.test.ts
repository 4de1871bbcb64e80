import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { OneRuntime } from "./one_runtime.ts";
import { findRuntimes } from "./runtimes.ts";
import { runSuites } from "./suites.ts";
import { ROOT } from "./tier.ts";

const HEAD = `import { describe, it } from "node:test";\nconst onDeno = "Deno" in globalThis;\n`;

/** Runs these test files on both runtimes in a temporary root, without showing their output. */
async function runPlanted(
  files: Readonly<Record<string, string>>,
  { oneRuntime = {}, nodeAlone = false, sqlAlone = false, beside = {}, limitMs = 600_000 }: {
    oneRuntime?: OneRuntime;
    nodeAlone?: boolean;
    sqlAlone?: boolean;
    /** Further files, which are not tests. */
    beside?: Readonly<Record<string, string>>;
    limitMs?: number;
  } = {},
) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "suites-test-")));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    writeFileSync(join(root, "package.json"), `{"type":"module"}`);
    for (const [file, body] of Object.entries({ ...files, ...beside })) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), HEAD + body);
    }
    const runtimes = findRuntimes(ROOT);
    return await runSuites({
      root,
      runtimes,
      files: Object.keys(files),
      oneRuntime,
      nodeAlone,
      sqlAlone,
      lanes: 2,
      limitMs,
      output: "ignore",
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe("runSuites()", () => {
  it("counts the same tests and suites on both runtimes", async () => {
    const result = await runPlanted({
      "a.test.ts":
        `describe("a", () => { describe("b", () => { it("c", () => {}); it("<testcase >", () => {}); }); });`,
      "b.test.ts": `it("top", () => {});`,
    });
    assertEquals(result, {
      node: { ran: 5, skipped: 0 },
      deno: { ran: 5, skipped: 0 },
      faults: [],
      sqlSuites: 0,
    });
  });

  it("counts the tests of an imported suite for the file that runs it", async () => {
    const held =
      `export const held = () => { it("one", () => {}); describe("more", () => it("two", () => {})); };`;
    const result = await runPlanted({
      "a.test.ts": `const { held } = await import("./held.ts"); describe("a", () => held());`,
      "b.test.ts": `const { held } = await import("./held.ts"); describe("b", () => held());`,
    }, { beside: { "held.ts": held } });
    assertEquals(result, {
      node: { ran: 8, skipped: 0 },
      deno: { ran: 8, skipped: 0 },
      faults: [],
      sqlSuites: 0,
    });
  });

  it("names a file that runs more tests on one runtime", async () => {
    const { faults } = await runPlanted({
      "same.test.ts": `it("same", () => {});`,
      "more.test.ts": `it("one", () => {}); if (onDeno) it("two", () => {});`,
    });
    assertEquals(faults, [
      "For the same files, Node ran 2 tests and suites, and Deno ran 3.",
      "more.test.ts: Node ran 1, Deno ran 2.",
    ]);
  });

  it("counts skipped and todo tests on both runtimes", async () => {
    const { node, deno } = await runPlanted({
      "skip.test.ts": `it("ran", () => {}); it.skip("skipped", () => {}); it.todo("later");`,
    });
    assertEquals([node, deno], [{ ran: 3, skipped: 2 }, { ran: 3, skipped: 2 }]);
  });

  it("names each failed test with its file, its runtime and its error", async () => {
    const { faults } = await runPlanted({
      "deep/red.test.ts": `describe("a <b>", () => {
  it("fails", () => { throw new Error("red"); });
  it("passes", () => {});
  describe("c", () => it("is wrong", async () => { await Promise.reject(new TypeError("blue")); }));
});`,
      "hook.test.ts": `const { before } = await import("node:test");
describe("hook", () => { before(() => { throw new Error("green"); }); it("waits", () => {}); });`,
    });
    for (const runtime of ["Node", "Deno"]) {
      for (
        const [test, error] of [
          ["deep/red.test.ts on RUNTIME: a <b> > fails", "Error: red"],
          ["deep/red.test.ts on RUNTIME: a <b> > c > is wrong", "TypeError: blue"],
          ["hook.test.ts on RUNTIME: hook", "Error: green"],
        ] as const
      ) {
        const fault = faults.find((each) => each.startsWith(`✘ ${test.replace("RUNTIME", runtime)}`));
        assertStringIncludes(fault ?? faults.join("\n"), error);
        assertStringIncludes(fault!, `${test.split(" ")[0]}:`);
      }
    }
  });

  it("reports a file that does not load and a file without tests", async () => {
    const broken = await runPlanted({ "broken.test.ts": `throw new Error("red");` });
    assertEquals(broken.faults.slice(0, 2), [
      "✘ Node's runner failed (exit 1) with broken.test.ts. See its output above.",
      "broken.test.ts ran no test on Node. A test file must contain a test.",
    ]);
    const empty = await runPlanted({ "empty.test.ts": "", "one.test.ts": `it("one", () => {});` });
    assertEquals(empty.faults, ["empty.test.ts ran no test on Node. A test file must contain a test."]);
  });

  it("kills a file that does not end, and reports a failure", async () => {
    const hangs = `it("hangs", () => new Promise((resolve) => setTimeout(resolve, 600_000)));`;
    const { faults } = await runPlanted({ "packages/x/src/hangs.test.ts": hangs }, { limitMs: 3_000 });
    for (const runtime of ["Node", "Deno"]) {
      assert(faults.some((fault) => /^✘ .*hangs/.test(fault) && fault.includes(runtime)), faults.join(" "));
    }
  });

  it("runs nothing if a file cannot be bundled", async () => {
    const { node, deno, faults } = await runPlanted({
      "lost.test.ts": `import "./gone.ts";`,
      "one.test.ts": `it("one", () => {});`,
    });
    assertEquals([node, deno], [{ ran: 0, skipped: 0 }, { ran: 0, skipped: 0 }]);
    assertEquals(faults, [
      "The test files cannot be bundled, so none of them ran. See the errors above.",
    ]);
  });

  it("keeps each file's own path on Node, also in stack traces", async () => {
    const { node, faults } = await runPlanted({
      "deep/place.test.ts": `const { place } = await import("../place.ts");
it("place", () => {
  if (onDeno) return;
  const said = \`\${import.meta.url} \${place} \${new Error().stack}\`;
  for (const end of ["deep/place.test.ts ", "/place.ts ", "deep/place.test.ts:6:"]) {
    if (!said.includes(end)) throw new Error(said);
  }
});`,
    }, { beside: { "place.ts": `export const place: string = import.meta.url;` } });
    assertEquals([node, faults], [{ ran: 1, skipped: 0 }, []]);
  });

  it("runs a listed file only on its listed runtime", async () => {
    const result = await runPlanted({
      "node.test.ts": `it("one", () => { if (onDeno) throw new Error("not here"); });`,
      "deno.test.ts": `it("one", () => { if (!onDeno) throw new Error("not here"); }); it("two", () => {});`,
      "both.test.ts": `it("one", () => {});`,
    }, {
      oneRuntime: {
        "node.test.ts": { runtime: "node", reason: "a test" },
        "deno.test.ts": { runtime: "deno", reason: "a test" },
      },
    });
    assertEquals(result, {
      node: { ran: 2, skipped: 0 },
      deno: { ran: 3, skipped: 0 },
      faults: [],
      sqlSuites: 0,
    });
  });

  it("runs suites of SQL on Node, and one of each folder on both runtimes", async () => {
    const files = {
      "sql/a.pg.test.ts": `import "node:fs";\nimport "./sender.ts";\nit("one", () => {});`,
      "sql/b.pg.test.ts": `import "../testing/books.ts";\nit("one", () => {});`,
      "sql/c.pg.test.ts": `import "./sender.ts";\nit("one", () => {});`,
      "sql/code.pg.test.ts": `import "./code.ts";\nit("one", () => {});`,
      "sql/served.pg.test.ts": `import "../testing/served.ts";\nit("one", () => {});`,
      "sql/not_pg.test.ts": `it("one", () => {});`,
    };
    const beside = {
      "sql/sender.ts": "",
      "sql/sender.sql": "",
      "sql/code.ts": "",
      "testing/books.ts": `import "../sql/sender.ts";`,
      "testing/served.ts": `import "node:https";`,
    };
    const { node, deno, sqlSuites } = await runPlanted(files, { beside });
    assertEquals([node.ran, deno.ran, sqlSuites], [6, 4, 2]);
    // Another suite of the folder runs on Deno if its first suite does not.
    const oneRuntime = { "sql/a.pg.test.ts": { runtime: "node", reason: "a test" } } as const;
    const other = await runPlanted(files, { beside, oneRuntime });
    assertEquals([other.node.ran, other.deno.ran, other.sqlSuites], [6, 4, 1]);
    const alone = await runPlanted(files, { beside, nodeAlone: true, sqlAlone: true });
    assertEquals([alone.node.ran, alone.deno.ran], [3, 0]);
  });

  it("runs nothing on Deno with nodeAlone", async () => {
    const result = await runPlanted(
      {
        "one.test.ts": `it("one", () => { if (onDeno) throw new Error("not here"); });`,
      },
      { nodeAlone: true },
    );
    assertEquals(result, {
      node: { ran: 1, skipped: 0 },
      deno: { ran: 0, skipped: 0 },
      faults: [],
      sqlSuites: 0,
    });
  });
});
