import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { stamp } from "../ticket.ts";
import type { JsonBytes } from "../body/read_body.ts";
import { storedRequest, thumbprintHex } from "./stored_request.ts";

interface Signed {
  readonly method: string;
  readonly target: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
  readonly body_utf8: string;
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../../../../vectors/chain.json", import.meta.url), "utf8"),
) as {
  readonly cases: readonly {
    readonly answer?: { readonly signed?: Signed };
    readonly stored_request_utf8?: string;
  }[];
};

describe("storedRequest()", () => {
  it("gives the texts of the test vectors", () => {
    const signed = cases.filter(({ answer }) => answer?.signed);
    assert(signed.length >= 2);
    for (const { answer, stored_request_utf8 } of signed) {
      const { method, target, body_utf8, ...headers } = answer!.signed!;
      const body = stamp<JsonBytes>(Buffer.from(body_utf8));
      assertEquals(storedRequest(method, target, { ...headers, body }), stored_request_utf8);
    }
  });
});

describe("thumbprintHex()", () => {
  it("writes the 32 bytes of a base64url thumbprint in hex", () => {
    // The thumbprint of RFC 7638, 3.1, whose section also lists its octets.
    assertEquals(
      thumbprintHex("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
      "3736cbb1787cb8309c77ee8c3705c5e16ffb9e859715901f1e4c59b11182f57b",
    );
  });
});
