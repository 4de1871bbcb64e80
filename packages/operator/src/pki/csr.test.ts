import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readCsr } from "./csr.ts";
import { PkiError } from "./errors.ts";
import { generateKeyPair } from "./key_pair.ts";
import { writePem } from "./pem.ts";
import { CLIENT_ID, makeRequest, ORGANIZATION, refusalCode, type SampleRequest } from "./samples.ts";

const refusal = (sample: SampleRequest): Promise<string> =>
  refusalCode(async () => await readCsr((await makeRequest(sample)).pem));

describe("readCsr()", () => {
  it("reads a name with Arabic letters, commas, quotes, plus signs and backslashes unchanged", async () => {
    const { subject } = await readCsr((await makeRequest()).pem);
    assertEquals(subject, { organization: ORGANIZATION, commonName: CLIENT_ID });
  });

  it("accepts O and CN in any order, in one RDN or in two, and in any string type", async () => {
    const names: SampleRequest["name"][] = [
      [{ CN: [{ utf8String: CLIENT_ID }] }, { O: [{ bmpString: "بنك" }] }],
      [{ CN: [{ printableString: CLIENT_ID }], O: [{ utf8String: "بنك" }] }],
    ];
    for (const name of names) {
      const { subject } = await readCsr((await makeRequest(name === undefined ? {} : { name })).pem);
      assertEquals(subject, { organization: "بنك", commonName: CLIENT_ID });
    }
  });

  it("accepts the PEM label of Windows, and text around the PEM block", async () => {
    const { der } = await makeRequest();
    await readCsr(
      `Certificate Request:\r\n${writePem("NEW CERTIFICATE REQUEST", der).replaceAll("\n", "\r\n")}`,
    );
  });

  it("rejects a subject that is not exactly one O and one CN", async () => {
    const cn = { CN: [{ utf8String: CLIENT_ID }] };
    const o = { O: [{ utf8String: "Example Bank" }] };
    const names: SampleRequest["name"][] = [
      [],
      [o],
      [cn],
      [o, cn, { C: [{ printableString: "SA" }] }],
      [o, o, cn],
      [o, cn, cn],
      [o, { CN: [{ utf8String: CLIENT_ID }, { utf8String: "other" }] }],
      [{ "2.5.4.97": [{ utf8String: "Example Bank" }] }, cn],
    ];
    for (const name of names) {
      assertEquals(await refusal(name === undefined ? {} : { name }), "csr_subject_invalid");
    }
  });

  it("rejects RSA keys and other curves, and describes the key", async () => {
    const rsa = {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: "SHA-256",
    };
    assertEquals(await refusal({ keyAlgorithm: rsa, signingAlgorithm: rsa }), "csr_key_unsupported");
    const p384 = await makeRequest({
      keyAlgorithm: { name: "ECDSA", namedCurve: "P-384" },
      signingAlgorithm: { name: "ECDSA", hash: "SHA-384" },
    });
    const error = await readCsr(p384.pem).catch((reason: unknown) => reason);
    assert(error instanceof PkiError && error.message.includes("EC on P-384"), String(error));
  });

  it("rejects a P-256 key whose point is not on the curve", async () => {
    const { der } = await makeRequest();
    const spki = (await readCsr(writePem("CERTIFICATE REQUEST", der))).publicKeySpki;
    const start = Array.from(der).findIndex((_, index) => spki.every((byte, at) => der[index + at] === byte));
    const moved = Uint8Array.from(der);
    moved.fill(0x01, start + spki.length - 32, start + spki.length);
    assertEquals(
      await refusalCode(() => readCsr(writePem("CERTIFICATE REQUEST", moved))),
      "csr_key_unsupported",
    );
  });

  it("rejects a request that is signed with another hash", async () => {
    const { der } = await makeRequest();
    // Raise the last byte of the identifier by one, which turns ecdsa-with-SHA256 into ecdsa-with-SHA384.
    const oid = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02);
    const at = Array.from(der).findIndex((_, index) =>
      oid.every((byte, offset) => der[index + offset] === byte)
    );
    der[at + 7] = 0x03;
    assertEquals(
      await refusalCode(() => readCsr(writePem("CERTIFICATE REQUEST", der))),
      "csr_signature_unsupported",
    );
  });

  it("rejects a request that is signed with another key", async () => {
    const [one, other] = [await makeRequest(), await makeRequest()];
    const { publicKeySpki } = await readCsr(one.pem);
    const { publicKeySpki: foreign } = await readCsr(other.pem);
    const at = Array.from(one.der).findIndex((_, index) =>
      publicKeySpki.every((byte, i) => one.der[index + i] === byte)
    );
    const swapped = Uint8Array.from(one.der);
    swapped.set(foreign, at);
    assertEquals(
      await refusalCode(() => readCsr(writePem("CERTIFICATE REQUEST", swapped))),
      "csr_signature_invalid",
    );
  });

  it("rejects a request with any single bit changed, or with one byte more or less", async () => {
    const { der } = await makeRequest({
      name: [{ O: [{ utf8String: "B" }] }, { CN: [{ utf8String: "c" }] }],
    });
    const codes = new Set<string>();
    for (let bit = 0; bit < der.length * 8; bit++) {
      const changed = Uint8Array.from(der);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const code = await refusalCode(() => readCsr(writePem("CERTIFICATE REQUEST", changed)));
      assert(code.startsWith("csr_"), `bit ${bit} gave ${code}`);
      codes.add(code);
    }
    assert(codes.has("csr_signature_invalid") && codes.has("csr_signature_unsupported"), [...codes].join());
    for (const changed of [Uint8Array.of(...der, 0), der.slice(0, -1), Uint8Array.of(0, ...der)]) {
      assert((await refusalCode(() => readCsr(writePem("CERTIFICATE REQUEST", changed)))).startsWith("csr_"));
    }
  });

  it("rejects a file that contains a private key", async () => {
    const { pem } = await makeRequest();
    const { privateKeyPem } = await generateKeyPair();
    const encrypted = privateKeyPem.replaceAll("PRIVATE", "EC PRIVATE").replace(
      "\n",
      "\nDEK-Info: AES-256-CBC,00\n\n",
    );
    for (const text of [pem + privateKeyPem, encrypted + pem]) {
      assertEquals(await refusalCode(() => readCsr(text)), "csr_private_key_included");
    }
  });

  it("rejects a file with no request, with two requests, or with any other content", async () => {
    const { pem } = await makeRequest();
    const junk = writePem("CERTIFICATE REQUEST", new Uint8Array(40));
    for (const text of ["", "hello", pem + pem, pem.replaceAll("REQUEST", "REVIEW"), junk]) {
      assertEquals(await refusalCode(() => readCsr(text)), "csr_malformed", text);
    }
    const edited = pem.replace(/\n(....)/, "\n$1!");
    for (const text of [edited, "x".repeat(70_000)]) {
      assertEquals(await refusalCode(() => readCsr(text)), "pem_malformed");
    }
  });
});
