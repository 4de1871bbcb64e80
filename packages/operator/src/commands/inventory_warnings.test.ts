import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Credential } from "./credential.ts";
import { isLive, warningsOf } from "./inventory_warnings.ts";

const NOW = new Date("2026-06-01T00:00:00Z");
const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
const MONTH_MS = 30 * 86_400_000;

const credential = (given: Partial<Credential> = {}): Credential => ({
  kind: "certificate",
  owner: "sbx_bank",
  name: "one",
  kid: null,
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

describe("the inventory's warnings", () => {
  it("are none of what is used and lives long", () => {
    assertEquals(warned(credential()), "");
    assertEquals(warned(credential({ kind: "client_secret", expires_at: null })), "");
  });

  it("name a malformed row, whatever its dates", () => {
    const fault = "kty must be EC and crv must be P-256";
    const expected = `malformed, so the service skips it: ${fault}`;
    assertEquals(warned(credential({ fault })), expected);
    assertEquals(warned(credential({ fault, status: "retired" }), credential()), expected);
  });

  it("say when something ends within the span, and whether another one of its kind takes over", () => {
    const ending = credential({ expires_at: inDays(12.5) });
    assertEquals(warned(ending), "expires in 12 days, and nothing takes over");
    const heir = credential({ name: "two" });
    assertEquals(warned(ending, heir), "expires in 12 days");
    for (
      const none of [
        credential({ ...heir, owner: "sbx_other" }),
        credential({ ...heir, kind: "client_secret" }),
        credential({ ...heir, status: "revoked" }),
        credential({ ...heir, expires_at: inDays(12) }),
      ]
    ) assertEquals(warned(ending, none), "expires in 12 days, and nothing takes over");
    assertEquals(warned(credential({ expires_at: inDays(30) }), heir), "expires in 30 days");
    assertEquals(warned(credential({ expires_at: inDays(30.1) })), "");
  });

  it("tell a retirement from an expiry, and hours from days", () => {
    const secret = { kind: "client_secret", expires_at: null } as const;
    const heir = credential({ ...secret, name: "two" });
    const retiring = credential({ ...secret, status: "retiring", retire_at: inDays(1) });
    assertEquals(warned(retiring, heir), "retires in 24 hours");
  });

  it("name what was never used for a day, where uses are noted", () => {
    assertEquals(warned(credential({ last_used_at: null })), "never used");
    assertEquals(warned(credential({ last_used_at: null, not_before: inDays(-0.5) })), "");
    assertEquals(warned(credential({ last_used_at: null, kind: "webhook_secret", expires_at: null })), "");
  });

  it("say of a revocation list that there is none, or that it runs out or has run out", () => {
    const list = (expires_at: Date | null, status: Credential["status"] = "active") =>
      credential({ kind: "revocation_list", not_before: null, last_used_at: null, expires_at, status });
    assertEquals(warned(list(null)), "there is none: gold cert crl");
    assertEquals(warned(list(inDays(-1), "expired")), "run out: gold cert crl");
    assertEquals(warned(list(inDays(3))), "runs out in 3 days: gold cert crl");
    assertEquals(warned(list(inDays(60))), "");
    assertEquals(isLive(list(inDays(-1), "expired")), true);
  });

  it("say of an ended authority's list that the authority has ended, whatever the list's own end", () => {
    const list = credential({
      kind: "revocation_list",
      owner: "house",
      expires_at: inDays(-1),
      status: "expired",
    });
    const authority = credential({ kind: "authority", owner: "house" });
    assertEquals(warned(list, authority), "run out: gold cert crl");
    assertEquals(
      warned(list, { ...authority, status: "expired" }),
      "its authority has ended: gold ca retire",
    );
    const another = credential({ ...authority, name: "two", status: "expired" });
    assertEquals(warned(list, another), "run out: gold cert crl");
  });

  it("are none of what has ended, but where it was the last one of its kind", () => {
    for (const status of ["revoked", "retired", "expired"] as const) {
      const ended = credential({ status, expires_at: inDays(-1), last_used_at: null });
      assertEquals(isLive(ended), false);
      assertEquals(warned(ended), `${status}, and nothing took over`);
      assertEquals(warned(ended, credential({ name: "two" })), "");
      assertEquals(warned(ended, credential({ ...ended, name: "later", expires_at: inDays(-0.5) })), "");
      for (const other of [{ owner: "sbx_other" }, { kind: "client_secret" }] as const) {
        assertEquals(warned(ended, credential(other)), `${status}, and nothing took over`);
      }
    }
  });
});
