// k6 runs this for sign.nightly.test.ts.
// It signs each request of CASES with each key of KEYS and prints the headers.
/// <reference types="k6" />
import { b64decode } from "k6/encoding";
import { importSigningKey, k6Bytes, keySigner, signRequest } from "./sign.ts";

interface Case {
  readonly method: string;
  readonly url: string;
  /** The body is given as text or, in bodyBase64, as bytes. */
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  readonly timestamp: string;
  readonly nonce: string;
}

export const options = { vus: 1, iterations: 1 };

export default async function (): Promise<void> {
  const keys = JSON.parse(__ENV.KEYS ?? "[]") as { text: string; kid?: string }[];
  const cases = JSON.parse(__ENV.CASES ?? "[]") as Case[];
  for (const { text, kid } of keys) {
    const signer = keySigner(await importSigningKey(text), kid);
    for (const { bodyText, bodyBase64 = "", ...request } of cases) {
      const body = bodyText === undefined
        ? withinLargerBuffer(new Uint8Array(b64decode(bodyBase64, "std")))
        : k6Bytes.utf8(bodyText);
      console.log(JSON.stringify(await signRequest({ ...request, body }, signer)));
    }
  }
}

/**
 * Returns a view of a larger buffer, as a caller may pass it. k6's own functions would read the whole buffer.
 */
function withinLargerBuffer(bytes: Uint8Array): Uint8Array {
  const larger = new Uint8Array(bytes.length + 2);
  larger.set(bytes, 1);
  return larger.subarray(1, bytes.length + 1);
}
