import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { base64url } from "../fixtures/raw_jws.ts";
import { parseDetached, signDetached, verifyDetached } from "./detached.ts";
import type { CryptoKey } from "./es256.ts";
import { importSigningKey, importVerifyingKey } from "./keys.ts";
import { signatureFromDer } from "./signature.ts";
import { keySigner } from "./signer.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

const CASES = 1000;
const KEYS = 8;
const TIMEOUT_MS = 120_000;
const HEADER = base64url('{"alg":"ES256","b64":false,"crit":["b64"]}');

/** Runs all commands of a step in one shell, which takes half the time of one spawn per command. */
function shell(folder: string, script: string): string {
  const { status, stdout, stderr, error } = spawnSync("sh", ["-ec", script], {
    cwd: folder,
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    maxBuffer: 1 << 24,
  });
  if (status === 127) {
    throw new Error(
      "openssl is not on PATH. To see which external tools are missing, run: node tools/run.mjs tools",
    );
  }
  if (status !== 0) throw new Error(`openssl failed (${error ?? status}): ${stderr}${stdout.slice(-500)}`);
  return stdout;
}

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder("jws-openssl");
  await run(folder);
}

interface Pair {
  readonly signing: CryptoKey;
  readonly verifying: CryptoKey;
}

/** Key pairs that openssl made, imported from the files that it wrote. */
async function makePairs(folder: string): Promise<Pair[]> {
  shell(
    folder,
    `for n in $(seq 0 ${KEYS - 1}); do
       openssl ecparam -name prime256v1 -genkey -out $n.pem
       openssl pkey -in $n.pem -pubout -out $n.pub
     done 2>&1`,
  );
  return Promise.all(Array.from({ length: KEYS }, async (_, index) => ({
    signing: await importSigningKey(readFileSync(join(folder, `${index}.pem`), "utf8")),
    verifying: await importVerifyingKey(readFileSync(join(folder, `${index}.pub`), "utf8")),
  })));
}

function randomPayload(): Uint8Array {
  const [size = 0] = crypto.getRandomValues(new Uint16Array(1));
  return crypto.getRandomValues(new Uint8Array(size % 1500));
}

function derOf(signature: Uint8Array): Uint8Array {
  const integers = [signature.subarray(0, 32), signature.subarray(32)].map((number) => {
    const magnitude = number.subarray(number.findIndex((byte) => byte !== 0));
    const content = magnitude[0]! >= 0x80 ? [0, ...magnitude] : [...magnitude];
    return [0x02, content.length, ...content];
  }).flat();
  return Uint8Array.of(0x30, integers.length, ...integers);
}

describe("openssl and this package agree", () => {
  it("openssl verifies 1,000 signatures that this package made with openssl's keys", async () => {
    await inFolder(async (folder) => {
      const pairs = await makePairs(folder);
      for (let index = 0; index < CASES; index++) {
        const payload = randomPayload();
        const jws = await signDetached(payload, keySigner(pairs[index % KEYS]!.signing));
        const { protectedHeader, signature } = parseDetached(jws);
        writeFileSync(
          join(folder, `${index}.msg`),
          Buffer.concat([Buffer.from(`${protectedHeader}.`), payload]),
        );
        writeFileSync(join(folder, `${index}.der`), derOf(signature));
      }
      const answers = shell(
        folder,
        `n=0; while [ $n -lt ${CASES} ]; do
           openssl dgst -sha256 -verify $((n % ${KEYS})).pub -signature $n.der $n.msg
           n=$((n + 1))
         done`,
      );
      assertEquals(answers, "Verified OK\n".repeat(CASES));
    });
  });
  it("this package verifies 1,000 signatures that openssl made with its own keys", async () => {
    await inFolder(async (folder) => {
      const pairs = await makePairs(folder);
      const payloads = Array.from({ length: CASES }, randomPayload);
      payloads.forEach((payload, index) =>
        writeFileSync(join(folder, `${index}.msg`), Buffer.concat([Buffer.from(`${HEADER}.`), payload]))
      );
      shell(
        folder,
        `n=0; while [ $n -lt ${CASES} ]; do
           openssl dgst -sha256 -sign $((n % ${KEYS})).pem -out $n.der $n.msg
           n=$((n + 1))
         done`,
      );
      for (const [index, payload] of payloads.entries()) {
        const signature = signatureFromDer(readFileSync(join(folder, `${index}.der`)));
        await verifyDetached(`${HEADER}..${base64url(signature)}`, payload, pairs[index % KEYS]!.verifying);
      }
    });
  });
  it("this package reads openssl's key files in every form", async () => {
    await inFolder(async (folder) => {
      shell(
        folder,
        `openssl ecparam -name prime256v1 -genkey -out with_parameters
         openssl ecparam -name prime256v1 -genkey -noout -out sec1
         openssl ec -in sec1 -no_public -out sec1_without_public
         openssl pkcs8 -topk8 -nocrypt -in sec1 -out pkcs8
         openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out genpkey
         openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -text -out with_text
         openssl pkcs8 -topk8 -nocrypt -in sec1_without_public -out pkcs8_without_public
         for name in with_parameters sec1 sec1_without_public pkcs8 genpkey with_text pkcs8_without_public; do
           openssl pkey -in $name -pubout -out $name.pub
         done 2>&1`,
      );
      const names = ["with_parameters", "sec1", "sec1_without_public", "pkcs8", "genpkey", "with_text"];
      for (const name of [...names, "pkcs8_without_public"]) {
        const payload = randomPayload();
        const signing = await importSigningKey(readFileSync(join(folder, name), "utf8"));
        const verifying = await importVerifyingKey(readFileSync(join(folder, `${name}.pub`), "utf8"));
        await verifyDetached(await signDetached(payload, keySigner(signing)), payload, verifying);
      }
    });
  });
});
