import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { type TrialService, trialService } from "@gold-partner/dev";
import { createSealing } from "./mod.ts";

describe("a sealing key that changes while the service runs", () => {
  let trial: TrialService;
  before(async () => void (trial = await trialService()));
  after(() => trial.stop());

  const issue = async () => {
    const { fingerprint, clientId, clientSecret } = trial.partner;
    const reply = await trial.send("/oauth/token", {
      headers: {
        Authorization: null,
        "X-Forwarded-Client-Cert": `Hash=${fingerprint}`,
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
    });
    const { access_token: token } = await reply.json() as { access_token?: string };
    const header = token && JSON.parse(atob(token.split(".")[0]!.replaceAll("-", "+").replaceAll("_", "/")));
    return { status: reply.status, kid: header?.kid as string | undefined };
  };

  it("opens what is sealed with a new one as soon as its source has it, without a start", async () => {
    const first = await issue();
    assertEquals(first.status, 200);
    const key = randomBytes(32);
    const sealing = await createSealing([key]);
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ]);
    const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", pair.privateKey);
    const sealed = await sealing.seal(JSON.stringify({ kty, crv, x, y, d }));
    await trial.books.sql`
      select gold.add_token_key('newer', ${trial.books.sql.json({ kty, crv, x, y } as never)}::jsonb,
        ${sealed}::bytea, ${sealing.currentKeyName}, clock_timestamp())`;
    await trial.refresh();
    // Out of order: the key is used before the source has it. The failure is not kept.
    assertEquals((await issue()).status, 500);
    const path = trial.config.sealingKeySource.slice("file:".length);
    await writeFile(path, `${key.toString("hex")}\n${await readFile(path, "utf8")}`);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assertEquals(await issue(), { status: 200, kid: "newer" });
  });
});
