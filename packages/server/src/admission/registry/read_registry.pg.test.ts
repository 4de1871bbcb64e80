import { newTestKey } from "../../../testing/partner.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { Buffer } from "node:buffer";
import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";

const hexOf = (byte: string) => byte.repeat(32);

describe("read_registry", () => {
  const books = suiteBooks();

  it("returns the values that admission and delivery need, and no others", async () => {
    const jwk = { ...(await newTestKey()).publicJwk };
    const publicId = "sbx_00000000000000000001";
    const [row] = await books.sql`
        select gold.create_partner(${publicId}, 'Bank', 'SA0380000000608010167519', 'https://bank.example/hook', 50, 200, 5000,
          '{127.0.0.1/32,::1/128,127.0.0.1/32}', ${Buffer.alloc(32, 10)}, ${Buffer.from([12])}, 'sealing', ${
      books.sql.json([{ thumbprint: "t", kid: "k", jwk }])
    }) as id`;
    await books.sql`select gold.add_certificate(${publicId}, ${
      hexOf("ab")
    }, '01', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')`;
    await books.sql`select gold.add_certificate(${publicId}, ${
      hexOf("cd")
    }, '02', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')`;
    await books.sql`select gold.revoke_certificate(${hexOf("cd")})`;
    await books.sql`select gold.suspend_partner(${publicId})`;
    await books.sql`select gold.add_token_key('kid', ${books.sql.json(jwk)}, ${
      Buffer.from([1, 2])
    }, 'sealing', '2026-01-01T00:00:00Z')`;
    const [read] = await books.api`select document from gold.read_registry(null)`;
    const { partners: [partner], ...document } = read!.document;
    assertEquals(document, {
      environment: "sandbox",
      public_base_url: "https://localhost:8443",
      loopback_receivers: true,
      webhook_ports: [443, 8443],
      receivers: [1],
      token_keys: [{
        kid: "kid",
        public_jwk: jwk,
        sealed: "AQI=",
        sealing_key: "sealing",
        not_before: "2026-01-01T00:00:00+00:00",
        retire_at: null,
      }],
    });
    const { secrets: [secret], signing_keys: [key], certificates, ips, ...rest } = partner;
    assertEquals(rest, {
      id: row!.id,
      public_id: publicId,
      simulations: null,
      suspended: true,
      rate_per_second: 50,
      burst: 200,
      maximum_grams: "5000",
      admission_version: "3",
    });
    assertEquals(ips.sort(), ["127.0.0.1/32", "::1/128"]);
    const span = { not_before: "2026-01-01T00:00:00+00:00", not_after: "2027-01-01T00:00:00+00:00" };
    assertEquals(certificates.sort((a: { revoked: boolean }) => a.revoked ? 1 : -1), [
      { fingerprint: hexOf("ab"), ...span, revoked: false },
      { fingerprint: hexOf("cd"), ...span, revoked: true },
    ]);
    assertEquals({ ...secret, not_before: "" }, {
      id: secret.id,
      hash: "0a".repeat(32),
      not_before: "",
      retire_at: null,
    });
    assertEquals({ ...key, not_before: "" }, {
      thumbprint: "t",
      kid: "k",
      jwk,
      not_before: "",
      retire_at: null,
    });
  });
});
