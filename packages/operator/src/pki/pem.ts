import { Buffer } from "node:buffer";
import { PkiError } from "./errors.ts";

interface PemBlock {
  readonly label: string;
  readonly der: Uint8Array<ArrayBuffer>;
}

// Far above any request, key or certificate on P-256, and small enough to parse quickly.
const MAX_CHARACTERS = 65_536;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([^-]*)-----END \1-----/g;

/** Reads all PEM blocks. Text around them is allowed, as `openssl req -text` writes it. */
export function readPemBlocks(text: string): PemBlock[] {
  if (text.length > MAX_CHARACTERS) {
    throw new PkiError(
      "pem_malformed",
      `The PEM text has ${text.length} characters; at most ${MAX_CHARACTERS} are read. Give the file of one certificate, request or key.`,
    );
  }
  return Array.from(text.matchAll(BLOCK), ([, label = "", body = ""]) => ({
    label,
    der: decodeBase64(body, label),
  }));
}

export function writePem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der).toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

function decodeBase64(body: string, label: string): Uint8Array<ArrayBuffer> {
  const text = body.replace(/[\r\n\t ]/g, "");
  const bytes = Buffer.from(text, "base64");
  // Encode the bytes again and compare, because Buffer skips characters that are not base64.
  if (text === "" || bytes.toString("base64") !== text) {
    throw new PkiError(
      "pem_malformed",
      `The PEM block "${label}" is not valid base64: the file is truncated or was edited. Send the file as the tool wrote it.`,
    );
  }
  return new Uint8Array(bytes);
}
