import "reflect-metadata";
import { rm, writeFile } from "node:fs/promises";
import { execPath } from "node:process";
import { X509Crl } from "@peculiar/x509";
import { readPemBlocks, writePem } from "../../pki/pem.ts";
import { makeRequest } from "../../pki/samples.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import type { TestOperator } from "../fixture.ts";

/**
 * Makes a certificate request for a partner and writes it to a file. Its O is the name with which the fixture
 * registers every partner.
 */
export async function keepRequest(operator: TestOperator, clientId: string): Promise<string> {
  const { pem } = await makeRequest({ name: [{ O: ["Test Bank"] }, { CN: [clientId] }] });
  return await operator.write(`${crypto.randomUUID()}.csr`, pem);
}

/** Issues a new certificate and returns its fingerprint. */
export async function issueTo(operator: TestOperator, clientId: string): Promise<string> {
  const csr = await keepRequest(operator, clientId);
  const issued = await operator.done("cert", "issue", clientId, "--csr", csr, "--out", `${csr}.pem`);
  return issued.fingerprint as string;
}

export interface SigningProgram {
  /** `--command` with its value, and `--public-key` with its file. */
  readonly options: readonly string[];
  /**
   * Makes the next signature wait until `release` is called.
   * `requested` resolves when that signature is requested.
   */
  hold(): Promise<{ readonly requested: Promise<void>; release(): Promise<void> }>;
}

/** An authority's key behind a signing program that the test can make wait. */
export async function signingProgram(operator: TestOperator): Promise<SigningProgram> {
  const { publicKeySpki, privateKeyPem } = await generateKeyPair();
  const [hold, held, go] = ["hold", "held", "go"].map((name) => operator.path(name));
  const source = `
    import { existsSync, readFileSync, renameSync, writeSync } from "node:fs";
    import { sign } from "node:crypto";
    let waits = false;
    try { renameSync(${JSON.stringify(hold)}, ${JSON.stringify(held)}); waits = true; } catch {}
    while (waits && !existsSync(${
    JSON.stringify(go)
  })) await new Promise((resolve) => setTimeout(resolve, 20));
    writeSync(1, sign("sha256", readFileSync(0), ${JSON.stringify(privateKeyPem)}));`;
  const program = await operator.write("sign.mjs", source);
  const publicKey = await operator.write("ca_public.pem", writePem("PUBLIC KEY", publicKeySpki));
  const command = `${execPath}${"Deno" in globalThis ? " run -A" : ""} ${program}`;
  return {
    options: ["--command", command, "--public-key", publicKey],
    async hold() {
      for (const file of [held!, go!]) await rm(file, { force: true });
      await writeFile(hold!, "");
      const requested = (async () => {
        while (!await operator.read("held").then(() => true, () => false)) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      return { requested, release: () => writeFile(go!, "") };
    },
  };
}

/** Reads the stored revocation list of an authority. */
export async function listOf({ service }: TestOperator, authority: string) {
  const [row] = await service.books.sql`
    select revocation_list as pem, revocation_number::int as number, revocation_next_at as next_at from gold.authority where fingerprint = ${authority}`;
  const [block] = readPemBlocks(row!.pem as string);
  const list = new X509Crl(block!.der);
  return {
    pem: row!.pem as string,
    number: row!.number as number,
    nextAt: row!.next_at as Date,
    list,
    serials: list.entries.map(({ serialNumber }) => serialNumber),
  };
}

export async function serialOf({ service }: TestOperator, fingerprint: string): Promise<string> {
  return (await service.books.sql`select serial from gold.certificate where fingerprint = ${fingerprint}`)[0]!
    .serial;
}

export async function registryVersion({ service }: TestOperator): Promise<number> {
  return Number((await service.books.sql`select version from gold.registry_version`)[0]!.version);
}
