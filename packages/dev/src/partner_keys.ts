import { writeFile } from "node:fs/promises";
import { generateKeyPair, writePem } from "@gold-partner/operator";
import type { State } from "./state.ts";

/** Writes a certificate signing request for one of these keys. */
export { writeCsr } from "@gold-partner/operator";

interface KeyFiles {
  readonly pair: Awaited<ReturnType<typeof generateKeyPair>>;
  readonly publicFile: string;
}

/**
 * Writes a new P-256 key pair as PEM files, in the form of `openssl genpkey`: PKCS#8, and SPKI for the public
 * key.
 */
export async function newKeyFiles(state: State, folder: string, name: string): Promise<KeyFiles> {
  const pair = await generateKeyPair();
  const publicFile = `${folder}/${name}_public.pem`;
  await state.writePrivate(`${folder}/${name}_key.pem`, pair.privateKeyPem);
  await writeFile(publicFile, writePem("PUBLIC KEY", pair.publicKeySpki));
  return { pair, publicFile };
}
