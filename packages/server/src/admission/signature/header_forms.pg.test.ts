import { describe, it } from "node:test";
import type { ProblemCode } from "@gold-partner/protocol";
import { assertStringIncludes } from "@std/assert";
import { expectProblem } from "../../../testing/problem.ts";
import { type Signing, suiteService } from "../../../testing/service.ts";

describe("the format of a signed request's headers", () => {
  const service = suiteService();

  const nowSeconds = () => Math.floor(service.now() / 1000);
  /** Sends an order for a quote id that no quote has. If the order passes admission, the answer is 404. */
  const order = (signing: Signing) => service.signed("/v1/orders", '{"quote_id":"qt_none"}', signing);
  const refused = async (signing: Signing, code: ProblemCode) => await expectProblem(order(signing), code);
  const passes = async (signing: Signing) => void await expectProblem(order(signing), "not_found");

  it("answers a missing signature header with signature_missing", async () => {
    for (const name of ["X-Timestamp", "X-Nonce", "X-JWS-Signature"]) {
      const problem = await refused({ headers: { [name]: null } }, "signature_missing");
      assertStringIncludes(problem.detail, name);
    }
    const none = { "X-Timestamp": null, "X-Nonce": null, "X-JWS-Signature": null };
    await refused({ headers: none }, "signature_missing");
  });

  it("answers a malformed timestamp with timestamp_invalid", async () => {
    const now = `${nowSeconds()}`;
    const forms = [
      "",
      "0",
      `${now}000`,
      `${now}.0`,
      `+${now.slice(1)}`,
      `-${now.slice(1)}`,
      `0${now.slice(1)}`,
      now.slice(1),
      "1.7e9",
      "0x6553f100",
      `${now}, ${now}`,
      "yesterday",
    ];
    for (const form of forms) await refused({ headers: { "X-Timestamp": form } }, "timestamp_invalid");
  });

  it("answers a malformed nonce with nonce_invalid", async () => {
    const nonce = "0123456789abcdef";
    const forms = [
      "",
      nonce.slice(1),
      "n".repeat(129),
      `${nonce} ${nonce}`,
      `${nonce},x`,
      `${nonce}, ${nonce}`,
    ];
    for (const form of [...forms, `${nonce}\u00e9`, `${nonce}\t0`]) {
      await refused({ headers: { "X-Nonce": form } }, "nonce_invalid");
    }
    for (const form of [nonce, "n".repeat(128), "!#$%&'()*+-./:;<", '"=>?@[\\]^_`{|}~'.padEnd(16, "~")]) {
      await passes({ nonce: form });
    }
  });

  it("gives signature_invalid for a malformed signature, invalid_request for a repeated one", async () => {
    const forms = ["", "x", `a..${"A".repeat(85)}`, `a..${"A".repeat(87)}`, `a.b.${"A".repeat(86)}`];
    for (
      const form of [...forms, `a..${"A".repeat(85)}=`, `a..${"A".repeat(85)}+`, `..${"A".repeat(86)}`]
    ) {
      await refused({ headers: { "X-JWS-Signature": form } }, "signature_invalid");
    }
    const doubled = `a..${"A".repeat(86)}, a..${"A".repeat(86)}`;
    await refused({ headers: { "X-JWS-Signature": doubled } }, "invalid_request");
  });

  it("distinguishes a missing Idempotency-Key from a malformed or repeated one", async () => {
    await refused({ headers: { "Idempotency-Key": null } }, "idempotency_key_missing");
    for (const form of ["", "k".repeat(256), "a b", "k1, k2", "k\u00e9", "a\tb"]) {
      await refused({ headers: { "Idempotency-Key": form } }, "idempotency_key_invalid");
    }
    for (const form of ["k", "k".repeat(255), `"\\{},;'`]) {
      await passes({ headers: { "Idempotency-Key": form } });
    }
  });
});
