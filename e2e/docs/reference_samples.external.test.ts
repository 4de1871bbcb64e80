import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openApiDocument, type OperationId, operationsOf } from "@gold-partner/protocol";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COLUMN_MAX, curlSample } from "../../site/curl_sample.ts";
import type { Described } from "../../site/described.ts";
import { SAMPLES } from "../../site/samples.ts";
import { typedSample } from "../../site/typed_samples.ts";
import { CsharpBuild } from "../client/csharp_client_fixture.ts";
import { JavaBuild } from "../client/java_client_fixture.ts";
import { PythonEnvironment } from "../client/python_client_fixture.ts";
import { Reader } from "./page_fixture.ts";
import { buildCsharp, runCsharp, runJava, runPython, runTypeScript } from "./program_fixture.ts";
import type { Shell } from "./shell_fixture.ts";

/** The operations in the order in which their samples run. */
const ORDER = Object.keys(SAMPLES) as OperationId[];
const LANGUAGES = ["java", "csharp"] as const;
/** The Java and the C# client have no method for these. */
const WITHOUT_METHOD: readonly OperationId[] = [
  ...["issueToken", "getTokenKeys", "getAuthorizationServer"] as const,
  ...["getOpenApi", "getReference", "getErrorCatalogue"] as const,
];
const DESCRIBED = openApiDocument({
  baseUrl: "https://gold.example",
  environment: "sandbox",
}) as unknown as Described;

describe("the samples of the reference", () => {
  let reader: Reader;
  let shell: Shell;
  let credentials: string;

  before(async () => {
    reader = await Reader.arrive();
    const quickstart = await reader.openShell();
    await reader.follow(quickstart, "quickstart.md");
    shell = await reader.openShellAfter(quickstart);
    const partners = join(reader.folder, "state", "partners");
    const [partner] = await readdir(partners);
    credentials = join(partners, partner!, "credentials.json");
  });
  after(() => reader?.leave());

  it("exist for each operation", () => {
    assertEquals(ORDER.toSorted(), operationsOf("sandbox").sort());
  });

  it("fit the column of a page", () => {
    const samples = ORDER.flatMap((operation) => [
      curlSample(operation, DESCRIBED),
      ...Object.values(SAMPLES[operation]!) as string[],
      ...LANGUAGES.map((language) => typedSample(operation, language) ?? ""),
    ]);
    assertEquals(samples.flatMap((one) => one.split("\n")).filter((line) => line.length > COLUMN_MAX), []);
  });

  it("in curl get a successful reply, with nothing but what the quickstart has set", async () => {
    const quickstart = shell;
    for (const operation of ORDER) {
      // Each sample has a shell of its own, so none can use a variable of another.
      const own = await reader.openShellAfter(quickstart);
      // Only --max-time ends a stream, with the exit code 28.
      await own.run(`curl() { command curl --write-out '\\n%{http_code}\\n' "$@" || [ $? = 28 ]; }`);
      const sample = curlSample(operation, DESCRIBED);
      const shown = (await own.run(`${sample}\n`)).trimEnd();
      assert(/\n20[01]$/.test(shown), `${operation}: ${shown}\n${sample}`);
    }
  });

  it("in curl send the same Idempotency-Key again when only the request is repeated", async () => {
    const own = await reader.openShellAfter(shell);
    const sample = curlSample("createOrder", DESCRIBED);
    await own.run(`${sample}\n`);
    const retry = sample.slice(sample.indexOf("sign POST"));
    const reply = await own.run(`${retry} --include\n`);
    assertStringIncludes(reply.toLowerCase(), "idempotent-replayed: true");
  });

  it("in TypeScript run as whole programs", async () => {
    const samples = ORDER.map((operation) => SAMPLES[operation]!.typescript);
    // The imports of all samples, once each, and each sample in a scope of its own.
    const imports = [...new Set(samples.flatMap((one) => one.match(/^import .*$/gm) ?? []))].join("\n");
    const blocks = samples.map((one) => `{\n${one.replaceAll(/^import .*\n/gm, "")}\n}`);
    expectResults(await runTypeScript([imports, ...blocks], credentials), /undefined|NaN|\[object/);
  });

  for (const language of LANGUAGES) {
    it(`in ${language} run as whole programs, for each operation that the client has`, async () => {
      const called = ORDER.filter((operation) => !WITHOUT_METHOD.includes(operation));
      assertEquals(ORDER.filter((operation) => typedSample(operation, language)), called);
      const lines = called.map((operation) => typedSample(operation, language)!.split("\n"));
      const isImport = (line: string) => /^(import [\w.*]+|using [\w.]+);$/.test(line);
      const imports = [...new Set(lines.flat().filter(isImport)), "using System.Threading.Tasks;"]
        .filter((line) => line.startsWith(language === "java" ? "import" : "using"));
      const blocks = lines.map((each) => `{\n${each.filter((line) => !isImport(line)).join("\n")}\n}`);
      const program = [imports.join("\n"), ...blocks];
      expectResults(await runIn(language, program), /\w+@[0-9a-f]{6,}|GoldPartner\.|\[\]/, called);
    });
  }

  async function runIn(language: "java" | "csharp", program: readonly string[]): Promise<string[]> {
    if (language === "java") {
      return await runJava(await JavaBuild.create("-DskipTests"), program, credentials);
    }
    const build = await CsharpBuild.create();
    return await runCsharp(build, await buildCsharp(build, program), credentials);
  }

  it("in Python run as whole programs", async () => {
    const python = await PythonEnvironment.create();
    try {
      const blocks = ORDER.map((operation) => `exec(${JSON.stringify(SAMPLES[operation]!.python)}, {})`);
      expectResults(await runPython(python, ["", ...blocks], credentials), /<\w+[^>]* at 0x|\bNaN\b/);
    } finally {
      await python.remove();
    }
  });
});

/** Expects that the imports print nothing, and that each sample prints a result. */
function expectResults([imports, ...printed]: string[], senseless: RegExp, operations = ORDER): void {
  assertEquals([imports, printed.length], ["", operations.length]);
  for (const [index, text] of printed.entries()) {
    assert(text.trim() !== "" && !senseless.test(text), `${operations[index]}: ${text}`);
  }
}
