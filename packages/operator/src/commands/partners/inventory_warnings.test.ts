import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Credential } from "../credentials/credential.ts";
import { isLive, warningsOf } from "./inventory_warnings.ts";

const NOW = new Date("2026-06-01T00:00:00Z");
const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
const MONTH_MS = 30 * 86_400_000;

const credential = (given: Partial<Credential> = {}): Credential => ({
  kind: "certificate",
  owner: "sbx_bank",
  name: "one",
  kid: null,
  endpoint: null,
  certificate: null,
  fault: null,
  status: "active",
  not_before: inDays(-100),
  expires_at: inDays(200),
  retire_at: null,
  last_used_at: inDays(-1),
  ...given,
});
const warned = (one: Credential, ...others: Credential[]) =>
  warningsOf(one, [one, ...others], MONTH_MS, NOW).join("; ");

describe("warningsOf()", () => {
  it("returns no warning for a credential that is used and valid for a long time", () => {
    assertEquals(warned(credential()), "");
    assertEquals(warned(credential({ kind: "client_secret", expires_at: null })), "");
  });

  it("reports a malformed row, whatever its dates are", () => {
    const fault = "kty must be EC and crv must be P-256";
    const expected = `malformed, so the service skips it: ${fault}`;
    assertEquals(warned(credential({ fault })), expected);
    assertEquals(warned(credential({ fault, status: "retired" }), credential()), expected);
  });

  it("reports when a credential ends within the span, and says if nothing replaces it", () => {
    const ending = credential({ expires_at: inDays(12.5) });
    assertEquals(warned(ending), "expires in 12 days, and nothing replaces it");
    const heir = credential({ name: "two" });
    assertEquals(warned(ending, heir), "expires in 12 days");
    for (
      const none of [
        credential({ ...heir, owner: "sbx_other" }),
        credential({ ...heir, kind: "client_secret" }),
        credential({ ...heir, status: "revoked" }),
        credential({ ...heir, expires_at: inDays(12) }),
      ]
    ) assertEquals(warned(ending, none), "expires in 12 days, and nothing replaces it");
    assertEquals(warned(credential({ expires_at: inDays(30) }), heir), "expires in 30 days");
    assertEquals(warned(credential({ expires_at: inDays(30.1) })), "");
  });

  it('says "retires" for a retirement instead of "expires", and counts hours below two days', () => {
    const secret = { kind: "client_secret", expires_at: null } as const;
    const heir = credential({ ...secret, name: "two" });
    const retiring = credential({ ...secret, status: "retiring", retire_at: inDays(1) });
    assertEquals(warned(retiring, heir), "retires in 24 hours");
  });

  it("reports a never used credential after its first day, if uses of its kind are recorded", () => {
    assertEquals(warned(credential({ last_used_at: null })), "never used");
    assertEquals(warned(credential({ last_used_at: null, not_before: inDays(-0.5) })), "");
    assertEquals(warned(credential({ last_used_at: null, kind: "webhook_secret", expires_at: null })), "");
  });

  it("reports a revocation list that is missing, expires soon or has expired", () => {
    const list = (expires_at: Date | null, status: Credential["status"] = "active") =>
      credential({ kind: "revocation_list", not_before: null, last_used_at: null, expires_at, status });
    assertEquals(warned(list(null)), "there is no list: run gold cert crl");
    assertEquals(warned(list(inDays(-1), "expired")), "expired: run gold cert crl");
    assertEquals(warned(list(inDays(3))), "expires in 3 days: run gold cert crl");
    assertEquals(warned(list(inDays(60))), "");
    assertEquals(isLive(list(inDays(-1), "expired")), true);
  });

  it("reports the expired authority of a revocation list instead of the list's own end", () => {
    const list = credential({
      kind: "revocation_list",
      owner: "house",
      expires_at: inDays(-1),
      status: "expired",
    });
    const authority = credential({ kind: "authority", owner: "house" });
    assertEquals(warned(list, authority), "expired: run gold cert crl");
    assertEquals(
      warned(list, { ...authority, status: "expired" }),
      "its authority has expired: run gold ca retire",
    );
    const another = credential({ ...authority, name: "two", status: "expired" });
    assertEquals(warned(list, another), "expired: run gold cert crl");
  });

  it("reports an ended credential only if it was the last of its kind and owner", () => {
    for (const status of ["revoked", "retired", "expired"] as const) {
      const ended = credential({ status, expires_at: inDays(-1), last_used_at: null });
      assertEquals(isLive(ended), false);
      assertEquals(warned(ended), `${status}, and nothing replaced it`);
      assertEquals(warned(ended, credential({ name: "two" })), "");
      assertEquals(warned(ended, credential({ ...ended, name: "later", expires_at: inDays(-0.5) })), "");
      for (const other of [{ owner: "sbx_other" }, { kind: "client_secret" }] as const) {
        assertEquals(warned(ended, credential(other)), `${status}, and nothing replaced it`);
      }
    }
  });
});
