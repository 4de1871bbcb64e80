import type { webcrypto } from "node:crypto";
import { Buffer } from "node:buffer";
import { writeFile } from "node:fs/promises";
import type { State } from "./state.ts";

/** Writes a certificate signing request for one of these keys. */
export { writeCsr } from "@gold-partner/operator";

const P256 = { name: "ECDSA", namedCurve: "P-256" };

interface KeyFiles {
  readonly pair: webcrypto.CryptoKeyPair;
  readonly publicFile: string;
}

/** A P-256 key pair as PEM files, as `openssl ecparam -genkey` would make them. */
export async function newKeyFiles(state: State, folder: string, name: string): Promise<KeyFiles> {
  const pair = await crypto.subtle.generateKey(P256, true, ["sign", "verify"]) as webcrypto.CryptoKeyPair;
  const publicFile = `${folder}/${name}_public.pem`;
  await state.writePrivate(
    `${folder}/${name}_key.pem`,
    pem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", pair.privateKey)),
  );
  await writeFile(publicFile, pem("PUBLIC KEY", await crypto.subtle.exportKey("spki", pair.publicKey)));
  return { pair, publicFile };
}

export function pem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der).toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
