import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { Hono } from "hono";
import { createRateLimiter } from "../admission/rate/rate_limiter.ts";
import { hashSecret } from "../admission/token/client_secret.ts";
import type { AppEnv } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import type { Refusal } from "../http/refusal.ts";
import { tokenRoute } from "./token_route.ts";

const PEPPER = new Uint8Array(32);
const SECRET = "the right one";
const FINGERPRINTS = { bank: "aa".repeat(32), other: "bb".repeat(32) };

/**
 * Sets up two partners in memory, and counts the database reads. The database may have more secrets than the
 * snapshot.
 */
function stage({ inSnapshot, inDatabase }: { inSnapshot: readonly string[]; inDatabase: readonly string[] }) {
  const stay = { notBeforeMs: 0, retireAtMs: Infinity };
  const snapshotOf = (secrets: readonly string[]) => {
    const partnerOf = (id: number, publicId: string) => ({
      id,
      publicId,
      suspended: false,
      rate: { perSecond: 1, burst: 1 },
      ips: ["127.0.0.1/32"],
      secrets: secrets.map((text, index) => ({
        id: index,
        hash: hashSecret(PEPPER, text).toString("hex"),
        ...stay,
      })),
    });
    const partners = new Map(["bank", "other"].map((name, id) => [name, partnerOf(id, name)]));
    const certificates = new Map(
      Object.entries(FINGERPRINTS).map(([name, fingerprint]) => [fingerprint, {
        partner: partners.get(name),
        notBeforeMs: 0,
        notAfterMs: Infinity,
        revoked: false,
      }]),
    );
    return { partners, certificates };
  };
  let reads = 0;
  const deps = {
    config: {},
    registry: {
      snapshot: () => snapshotOf(inSnapshot),
      refresh: () => Promise.resolve(void reads++).then(() => snapshotOf(inDatabase)),
      now: () => 1,
    },
    limiter: { take: () => ({ allowed: true, remaining: 1, resetSeconds: 1 }) },
    failures: createRateLimiter<string>(),
    tokens: { issue: () => Promise.resolve({ token: "a token", kid: "a key" }) },
    usage: { note: () => {} },
    now: () => 1,
    monotonicMs: () => 1,
    random: (length: number) => new Uint8Array(length),
    pepper: PEPPER,
  };
  const app = new Hono<AppEnv>()
    .use((c, next) => (c.set("exchange", { requestId: "req_fixture" }), next()))
    .post("/oauth/token", tokenRoute(deps as unknown as Deps));
  app.onError((error) => new Response((error as Refusal).code, { status: 401 }));
  return async (clientId: string, secret: string, fingerprint = FINGERPRINTS.bank) => {
    reads = 0;
    const reply = await app.request("/oauth/token", {
      method: "POST",
      headers: {
        "X-Forwarded-Client-Cert": `Hash=${fingerprint}`,
        "X-Client-Ip": "127.0.0.1",
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: secret,
      }),
    });
    return [reply.status, reads];
  };
}

describe("database reads of POST /oauth/token", () => {
  it("do not happen for a secret in the snapshot, and happen once for any other secret", async () => {
    const ask = stage({ inSnapshot: [SECRET], inDatabase: [SECRET, "a new one"] });
    assertEquals(await ask("bank", SECRET), [200, 0]);
    assertEquals(await ask("bank", "a new one"), [200, 1]);
  });

  it("happen once for an unknown client, a wrong secret or another partner's certificate", async () => {
    const ask = stage({ inSnapshot: [SECRET], inDatabase: [SECRET] });
    assertEquals(await ask("nobody", SECRET), [401, 1]);
    assertEquals(await ask("bank", "a wrong one"), [401, 1]);
    assertEquals(await ask("bank", SECRET, FINGERPRINTS.other), [401, 1]);
  });
});
