import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "../../tools/testing/assert.ts";
import { openApiDocument, type OperationId, operationsOf } from "@gold-partner/protocol";
import { curlSample } from "../../site/curl_sample.ts";
import type { Described } from "../../site/described.ts";
import { SAMPLES, SETUP } from "../../site/samples.ts";
import { PythonEnvironment } from "../client/python_client_fixture.ts";
import { Reader } from "./page_fixture.ts";
import { runPython, runTypeScript } from "./program_fixture.ts";
import type { Shell } from "./shell_fixture.ts";

/** The samples continue in the shell of the quickstart up to this heading. */
const QUICKSTART_END = "\n## 9. ";
/** The operations in the order in which their samples run. */
const ORDER = Object.keys(SAMPLES) as OperationId[];
const DESCRIBED = openApiDocument({ baseUrl: "https://gold.example", environment: "sandbox" });

describe("the samples of the reference", () => {
  let reader: Reader;
  let shell: Shell;
  let credentials: string;

  before(async () => {
    reader = await Reader.arrive();
    const quickstart = await reader.openShell();
    await reader.follow(quickstart, "quickstart.md", QUICKSTART_END);
    shell = await reader.openShellAfter(quickstart);
    const partners = join(reader.folder, "state", "partners");
    const [partner] = await readdir(partners);
    credentials = join(partners, partner!, "credentials.json");
  });
  after(() => reader?.leave());

  it("exist for each operation", () => {
    assertEquals(ORDER.toSorted(), operationsOf("sandbox").sort());
  });

  it("in curl get a successful reply, with ids from earlier replies", async () => {
    await shell.run(`curl() { command curl --write-out '\\n%{http_code}\\n' "$@"; }`);
    // An order has used the first quote, and the first withdrawal was paid.
    const first: Partial<Record<OperationId, OperationId>> = {
      simulateQuoteExpiry: "createQuote",
      cancelWithdrawal: "createWithdrawal",
    };
    const calls = ORDER.flatMap((id) => [...first[id] ? [first[id]] : [], id]);
    for (const [index, operation] of calls.entries()) {
      // Each withdrawal needs its own reference.
      const sample = curlSample(operation, DESCRIBED as unknown as Described)
        .replace(/"reference":"[^"]*/, `$&-${index}`);
      const [status = "", ...lines] = (await shell.run(`${sample}\n`)).trimEnd().split("\n").reverse();
      const body = lines.reverse().join("\n");
      assert(["200", "201"].includes(status), `${operation}: ${status} ${body}\n${sample}`);
      for (const [, name, id] of body.matchAll(/"([a-z_]*id)":"((?:qt|ord|fnd|wd|evt|lst)_[0-9a-f-]+)"/g)) {
        const variable = name === "id" ? "EVENT_ID" : name!.toUpperCase();
        await shell.run(`${variable}=${id}`);
      }
    }
  });

  it("in TypeScript run as one program", async () => {
    const blocks = [SETUP.typescript, ...ORDER.map((operation) => SAMPLES[operation]!.typescript)];
    expectResults(await runTypeScript(blocks, credentials), /undefined|NaN|\[object/);
  });

  it("in Python run as one program", async () => {
    const python = await PythonEnvironment.create();
    try {
      const blocks = [SETUP.python, ...ORDER.map((operation) => SAMPLES[operation]!.python)];
      expectResults(await runPython(python, blocks, credentials), /<\w+[^>]* at 0x|\bNaN\b/);
    } finally {
      await python.remove();
    }
  });
});

/** Expects that the setup prints nothing, and that each sample prints a result. */
function expectResults([setup, ...printed]: string[], senseless: RegExp): void {
  assertEquals([setup, printed.length], ["", ORDER.length]);
  for (const [index, text] of printed.entries()) {
    assert(text.trim() !== "" && !senseless.test(text), `${ORDER[index]}: ${text}`);
  }
}
