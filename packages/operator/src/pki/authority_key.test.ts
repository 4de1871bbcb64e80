import { env, execPath } from "node:process";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "node:test";
import { type AuthorityKey, readAuthorityKey, useSigningCommand } from "./authority_key.ts";
import { EC_P256, ECDSA_SHA256, generateKeyPair } from "./key_pair.ts";
import { writePem } from "./pem.ts";
import { refusalCode } from "./samples.ts";

const MESSAGE = new TextEncoder().encode("to be signed");

/** Returns a command that runs `code` with the runtime of this test. So the test needs no other program. */
function program(code: string): string[] {
  const source = `import("node:fs").then(async (fs) => { ${code} });`;
  return [execPath, "Deno" in globalThis ? "eval" : "-e", source];
}

function signingProgram(privateKeyPem: string): string[] {
  return program(`
    const { sign } = await import("node:crypto");
    fs.writeSync(1, sign("sha256", fs.readFileSync(0), ${JSON.stringify(privateKeyPem)}));
  `);
}

async function complaint(key: AuthorityKey): Promise<string> {
  const error = await key.sign(MESSAGE).catch((reason: unknown) => reason);
  assertEquals(await refusalCode(() => Promise.reject(error)), "signing_command_failed");
  return String(error);
}

describe("authority key", () => {
  it("signs with a key file and with a signing command, and the public key verifies both", async () => {
    const { publicKeySpki, privateKeyPem } = await generateKeyPair();
    const publicKey = await crypto.subtle.importKey("spki", publicKeySpki, EC_P256, true, ["verify"]);
    for (
      const key of [await readAuthorityKey(privateKeyPem), useSigningCommand(signingProgram(privateKeyPem))]
    ) {
      const signature = await key.sign(MESSAGE);
      assertEquals(signature.length, 64);
      assert(await crypto.subtle.verify(ECDSA_SHA256, publicKey, signature, MESSAGE));
    }
  });

  it("does not pass DATABASE_URL to the signing command", async () => {
    const before = env.DATABASE_URL;
    env.DATABASE_URL = "postgres://operator:hunter2@127.0.0.1/gold";
    try {
      const key = useSigningCommand(program("fs.writeSync(1, String(process.env.DATABASE_URL));"));
      assertStringIncludes(await complaint(key), `wrote ${"undefined".length} bytes`);
    } finally {
      if (before === undefined) delete env.DATABASE_URL;
      else env.DATABASE_URL = before;
    }
  });

  it("readAuthorityKey() accepts only one PKCS#8 key on P-256, and says how to convert others", async () => {
    const { privateKeyPem } = await generateKeyPair();
    const p384 = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, ["sign"]);
    const foreign = new Uint8Array(await crypto.subtle.exportKey("pkcs8", p384.privateKey));
    const texts: [string, string][] = [
      ["", "exactly one"],
      [privateKeyPem + privateKeyPem, "exactly one"],
      [privateKeyPem.replaceAll("PRIVATE", "EC PRIVATE"), "-topk8"],
      [privateKeyPem.replaceAll("PRIVATE", "ENCRYPTED PRIVATE"), "signing command"],
      [writePem("PRIVATE KEY", foreign), "P-256"],
      [writePem("PRIVATE KEY", new Uint8Array(30)), "P-256"],
    ];
    for (const [text, sentence] of texts) {
      assertEquals(await refusalCode(() => readAuthorityKey(text)), "authority_key_invalid");
      assertStringIncludes(String(await readAuthorityKey(text).catch((reason: unknown) => reason)), sentence);
    }
  });

  it("starts the signing command without a shell", async () => {
    const message = await complaint(useSigningCommand(["echo $HOME; true"]));
    assertStringIncludes(message, "was not found");
    assertStringIncludes(message, "echo $HOME; true");
  });

  it("reports the status and the error output of a signing command that fails", async () => {
    const message = await complaint(
      useSigningCommand(program(`fs.writeSync(2, "token is locked"); process.exit(7);`)),
    );
    assertStringIncludes(message, "ended with status 7");
    assertStringIncludes(message, "token is locked");
  });

  it("reports the status of a signing command that exits without reading its input", async () => {
    const key = useSigningCommand(program("process.exit(3);"));
    const large = new Uint8Array(1_000_000);
    const error = await key.sign(large).catch((reason: unknown) => reason);
    assertStringIncludes(String(error), "ended with status 3");
  });

  it("rejects a signing command that writes nothing, text or too many bytes", async () => {
    assertStringIncludes(await complaint(useSigningCommand(program(""))), "wrote 0 bytes");
    assertStringIncludes(
      await complaint(useSigningCommand(program(`fs.writeSync(1, "MEUCIQ==");`))),
      "wrote 8 bytes",
    );
    const flood = program(
      "const block = new Uint8Array(65536); for (let i = 0; i < 64; i++) process.stdout.write(block);",
    );
    assertStringIncludes(await complaint(useSigningCommand(flood)), "more than 65536 bytes");
  });

  it("stops a signing command that exceeds its timeout", async () => {
    const key = useSigningCommand(program("setInterval(() => {}, 1000);"), 300);
    assertStringIncludes(await complaint(key), "within 0.3 s");
  });

  it("rejects an empty signing command and one with a null character", async () => {
    await complaint(useSigningCommand([]));
    await complaint(useSigningCommand(["no\0null"]));
  });
});
