import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { ENDPOINTS } from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { checkCertificateRequest } from "./certificate_request.ts";

const { certificate_request } = ENDPOINTS.requestChange.request!.examples.certificate_request as {
  certificate_request: string;
};
const DER = Buffer.from(certificate_request.replace(/-----[^-]+-----/g, ""), "base64");
const accepts = (der: Buffer) =>
  checkCertificateRequest(der.toString("base64")).then(() => true, () => false);

describe("checkCertificateRequest()", () => {
  it("accepts a request as openssl writes it, also with lines that end in CR and LF", async () => {
    await checkCertificateRequest(certificate_request);
    await checkCertificateRequest(certificate_request.replaceAll("\n", "\r\n"));
  });

  it("rejects a request in which any byte differs, is missing or follows", async () => {
    const accepted: string[] = [];
    for (let at = 0; at < DER.length; at++) {
      for (const bit of [0x01, 0x80]) {
        const edited = Buffer.from(DER.map((byte, index) => index === at ? byte ^ bit : byte));
        if (await accepts(edited)) accepted.push(`byte ${at} ^ ${bit}`);
      }
      if (await accepts(DER.subarray(0, at))) accepted.push(`${at} bytes`);
    }
    if (await accepts(Buffer.concat([DER, Buffer.of(0)]))) accepted.push("a byte more");
    assertEquals(accepted, []);
  });
});
