import { after, before, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { readCsr } from "./csr.ts";
import { NEW_P256, openFolder, type OpensslFolder, requestBy } from "./openssl_folder.ts";
import { CLIENT_ID, refusalCode } from "./samples.ts";

let openssl: OpensslFolder;

describe("readCsr(), checked with openssl", () => {
  before(async () => {
    openssl = await openFolder();
  });

  after(async () => {
    await openssl.remove();
  });

  it("rejects requests with a key other than P-256 or a hash other than SHA-256", async () => {
    const unsupported = {
      csr_key_unsupported: [
        ...["-newkey rsa:2048", "-newkey rsa-pss -pkeyopt rsa_keygen_bits:2048", "-newkey ed25519"],
        ...["P-384", "secp256k1", "brainpoolP256r1"].map((curve) => NEW_P256.replace("P-256", curve)),
        `${NEW_P256} -pkeyopt ec_param_enc:explicit`,
      ],
      csr_signature_unsupported: [`${NEW_P256} -sha384`, `${NEW_P256} -sha1`],
    };
    for (const [code, all] of Object.entries(unsupported)) {
      for (const options of all) {
        const pem = await requestBy(openssl, options);
        assertEquals(await refusalCode(() => readCsr(pem)), code, options);
      }
    }
  });

  it("rejects a request whose public key is a compressed point", async () => {
    await openssl.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out plain.key");
    await openssl.run("ec -in plain.key -conv_form compressed -out compressed.key");
    await openssl.run(
      "req -new -key compressed.key -out compressed.csr -subj",
      "/O=Example Bank/CN=sbx_example",
    );
    const pem = await openssl.read("compressed.csr");
    assertEquals(await refusalCode(() => readCsr(pem)), "csr_key_unsupported");
  });

  it("rejects a tampered request that openssl also rejects", async () => {
    const pem = await requestBy(openssl, NEW_P256);
    const der = Uint8Array.from(
      atob(pem.replace(/-----[^-]+-----|\s/g, "")),
      (letter) => letter.charCodeAt(0),
    );
    const at = new TextDecoder("latin1").decode(der).indexOf(CLIENT_ID);
    der[at + 4] = "E".charCodeAt(0);
    const tampered = `-----BEGIN CERTIFICATE REQUEST-----\n${
      btoa(String.fromCharCode(...der))
    }\n-----END CERTIFICATE REQUEST-----\n`;
    await openssl.keep("tampered.csr", tampered);
    assertStringIncludes((await openssl.run("req -in tampered.csr -noout -verify")).output, "failure");
    assertEquals(await refusalCode(() => readCsr(tampered)), "csr_signature_invalid");
  });
});
