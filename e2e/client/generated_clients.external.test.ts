import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openApiDocument } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { orderOf, WITHDRAWAL } from "../contract/way_fixture.ts";
import { readBlocks } from "../docs/doc_fixture.ts";
import { ADDED, AdditiveRelay } from "./additive_relay_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TOOLS = join(ROOT, ".tools");
const JARS = join(TOOLS, "openapi_generator");
const CLASS_PATH = readdirSync(JARS).map((jar) => join(JARS, jar)).join(delimiter);
/** Options with which short Java programs run faster. */
const SHORT_LIVED = ["-Xshare:auto", "-XX:TieredStopAtLevel=1"];
const RUN_MS = 300_000;
/** Money and gold with more digits than a float32 holds, and a price that makes such a total. */
const AMOUNT_SAR = "1117780.68";
const GOLD_GRAMS = "987.6543";

/** Runs a program to its end, and returns what it printed. */
async function run(command: string, args: readonly string[], folder?: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    ...(folder === undefined ? {} : { cwd: folder }),
    env: { ...process.env, LC_ALL: "C.UTF-8", GOFLAGS: "-mod=readonly" },
    timeout: RUN_MS,
    maxBuffer: 1 << 26,
  });
  return stdout;
}

/** The text of every file below a folder. */
const textBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")).join("\n");

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

describe("clients that are generated from the API description", () => {
  let stack: Stack;
  const folder = temporaryFolder("gold-generated");
  let description: string;
  /** How many schemas are numbers. */
  let numbers: number;
  /** Answers as a later version of the service could. */
  let later: AdditiveRelay;

  before(async () => {
    stack = await Stack.open();
    description = join(folder, "openapi.json");
    const served = await stack.partner.succeed("getOpenApi");
    const { baseUrl } = stack.running;
    assertEquals<unknown>(served, openApiDocument({ baseUrl, environment: "sandbox" }));
    const text = JSON.stringify(served);
    numbers = countOf(text, /"type":(?:"number"|\["number","(?:null|string)"\])/g);
    assert(numbers >= 50, `${numbers} numbers`);
    await writeFile(description, text);
    await generateWithJava();
    const { partner } = stack;
    await partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
    await partner.succeed("createOrder", await orderOf(partner, "buy", 1));
    await partner.succeed("createWithdrawal", WITHDRAWAL);
    const { ca, cert, key } = partner.credentials;
    const [caText, certText, keyText] = [ca, cert, key].map((file) => readFileSync(file, "utf8"));
    const upstream = { port: Number(new URL(baseUrl).port), ca: caText!, cert: certText!, key: keyText! };
    later = await AdditiveRelay.open(upstream, await stack.serverCertificate(), served);
  });
  after(async () => {
    await later?.close();
    await stack?.close();
  });

  /** Generates the clients in Java, C# and Python in one process, because Java starts slowly. */
  async function generateWithJava(): Promise<void> {
    const models = { models: "", modelTests: "false", modelDocs: "false" };
    const java = {
      generatorName: "java",
      library: "native",
      additionalProperties: {
        ...{ openApiNullable: false, annotationLibrary: "none" },
        ...{ invokerPackage: "gold", apiPackage: "gold.api", modelPackage: "gold.model" },
      },
      globalProperties: { ...models, apis: "", apiTests: "false", apiDocs: "false", supportingFiles: "" },
    };
    const csharp = { generatorName: "csharp", globalProperties: models };
    const python = { generatorName: "python", additionalProperties: { packageName: "gold_generated" } };
    const files = await Promise.all(
      Object.entries({ java, csharp, python }).map(async ([name, options]) => {
        const file = join(folder, `${name}.json`);
        const paths = { inputSpec: description, outputDir: join(folder, name) };
        await writeFile(file, JSON.stringify({ ...options, ...paths }));
        return file;
      }),
    );
    const generator = ["-cp", CLASS_PATH, "org.openapitools.codegen.OpenAPIGenerator"];
    await run("java", [...SHORT_LIVED, ...generator, "batch", "--fail-fast", "--threads", "1", ...files]);
  }

  /** Runs a client against the service, and against one that a later version could be. */
  async function assertReads(exchange: (baseUrl: string) => Promise<string>): Promise<void> {
    await assertExact(await exchange(stack.running.baseUrl), "executed pending_approval settlement.changed");
    await assertExact(await exchange(`https://localhost:${later.port}`), `${ADDED} ${ADDED} ${ADDED}`);
  }

  /** Compares what a client read with what the service stored and returns to this test. */
  async function assertExact(printed: string, expectedStates: string): Promise<void> {
    const parts = JSON.parse(printed) as Record<string, string>;
    const { quote_id, available_sar, order_status, withdrawal_status, event_type, delivery_status, ...read } =
      parts;
    assertEquals(`${order_status} ${withdrawal_status} ${event_type}`, expectedStates);
    assertEquals(delivery_status === ADDED, event_type === ADDED);
    const quote = await (await stack.partner.call("getQuote", { path: { quote_id: quote_id! } })).text();
    const numberIn = (text: string, name: string) => new RegExp(`"${name}":([0-9.]+)`).exec(text)?.[1];
    const names = ["gold_grams", "price_per_gram_sar", "total_sar"];
    assertEquals(read, {
      funded_sar: AMOUNT_SAR,
      ...Object.fromEntries(names.map((name) => [name, numberIn(quote, name)])),
    });
    assertEquals(read["gold_grams"], GOLD_GRAMS);
    assertMatch(read["total_sar"]!, /^\d{6}\.\d\d?$/);
    const [posted] = await stack.sql<{ halalas: string }[]>`
      select amount::text as halalas from gold.funding order by created_at desc limit 1`;
    assertEquals(posted!.halalas, AMOUNT_SAR.replace(".", ""));
    const balances = await (await stack.partner.call("getBalances")).text();
    assertEquals(available_sar, numberIn(balances, "available"));
  }

  it("send and read money exactly, and send instants with an offset, in Go, with oapi-codegen", async () => {
    const program = join(folder, "go");
    cpSync(join(ROOT, "e2e/client/generated_go"), program, { recursive: true });
    mkdirSync(join(program, "gold"));
    const generator = join(TOOLS, "bin/oapi-codegen");
    await run(generator, ["-config", "oapi_codegen.yaml", "-o", "gold/gold.go", description], program);
    const generated = textBelow(join(program, "gold"));
    assertEquals([countOf(generated, /\bfloat32\b/g), countOf(generated, /\bfloat64\b/g)], [0, numbers]);
    await run("go", ["build", "-o", "exchange", "."], program);
    const { ca, cert, key } = stack.partner.credentials;
    await assertReads((baseUrl) =>
      run(join(program, "exchange"), [baseUrl, stack.partner.token, ca, cert, key, AMOUNT_SAR, GOLD_GRAMS])
    );
  });

  it("send and read money exactly, and send instants with an offset, in Java, with openapi-generator", async () => {
    const source = join(folder, "java/src/main/java");
    const generated = textBelow(join(source, "gold/model"));
    assertEquals(countOf(generated, /private (?:Float|Double) /g), 0);
    assert(countOf(generated, /private BigDecimal /g) >= 50);
    const requests = ["Quote", "Fund", "Withdrawal"].map((name) =>
      readFileSync(join(source, `gold/model/${name}Request.java`), "utf8")
    );
    assertEquals(countOf(requests.join("\n"), /private BigDecimal (?:goldGrams|amountSar);/g), 4);
    const classes = join(folder, "classes");
    const program = join(ROOT, "e2e/client/generated_java/Exchange.java");
    await run("javac", [
      ...["-J-XX:TieredStopAtLevel=1", "-nowarn", "-proc:none", "-d", classes],
      ...["-cp", CLASS_PATH, "-sourcepath", source, program],
    ]);
    const { ca, cert, key } = stack.partner.credentials;
    const pkcs12 = join(folder, "partner.p12");
    await run("openssl", [
      ...["pkcs12", "-export", "-in", cert, "-inkey", key, "-out", pkcs12, "-passout", "pass:exchange"],
    ]);
    await assertReads((baseUrl) =>
      run("java", [
        ...[...SHORT_LIVED, "-cp", `${classes}${delimiter}${CLASS_PATH}`, "Exchange"],
        ...[baseUrl, stack.partner.token, ca, pkcs12, AMOUNT_SAR, GOLD_GRAMS],
      ])
    );
  });

  it("send money as a decimal string, read it exactly as the guide shows, and send instants with an offset, in Python, with openapi-generator", async () => {
    const page = readFileSync(join(ROOT, "docs/generated_clients.md"), "utf8");
    const [example] = readBlocks(page).filter(({ language }) => language === "python");
    const { ca, cert, key } = stack.partner.credentials;
    const program = join(ROOT, "e2e/client/generated_python.py");
    const path = [join(folder, "python"), join(TOOLS, "generated_python")].join(delimiter);
    await assertReads((baseUrl) =>
      run("env", [
        ...[`PYTHONPATH=${path}`, "python3", program],
        ...[baseUrl, stack.partner.token, ca, cert, key, AMOUNT_SAR, example!.text],
      ])
    );
  });

  it("have types that compile and allow a number or a decimal string in requests, with openapi-typescript", async () => {
    const generator = join(TOOLS, "package_checks/node_modules/openapi-typescript/bin/cli.js");
    const types = join(folder, "api.d.ts");
    await run("node", [generator, description, "-o", types]);
    const program = join(folder, "program.ts");
    await writeFile(
      program,
      [
        'import type { components } from "./api.d.ts";',
        'declare const event: components["schemas"]["WebhookEvent"];',
        "export const grams: number | undefined = event.data.order?.gold_grams;",
        'export const isLater: boolean = event.type === "vault.audited";',
        'type Schemas = components["schemas"];',
        'export const quote: Schemas["QuoteRequest"] = { side: "buy", gold_grams: "0.5" };',
        'export const sale: Schemas["QuoteRequest"] = { side: "sell", amount_sar: 0.5 };',
        'export const money: Schemas["FundRequest"][] = [{ amount_sar: "0.5" }, { amount_sar: 0.5 }];',
        "// @ts-expect-error: a quantity is nothing else.",
        'export const wrong: Schemas["WithdrawalRequest"] = { amount_sar: true };',
      ].join("\n"),
    );
    await run("node", [
      ...[join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--skipLibCheck", "false"],
      ...["--allowImportingTsExtensions", "--module", "nodenext", program],
    ], folder);
  });

  it("hold money as decimal in C#, with openapi-generator", () => {
    const generated = textBelow(join(folder, "csharp/src"));
    assertEquals(countOf(generated, /public (?:float|double)\?? /g), 0);
    assert(countOf(generated, /public decimal\?? \w+ \{/g) >= 50);
  });
});
