import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { suiteService } from "../../testing/service.ts";
import { createSealing } from "../mod.ts";
import { startService } from "./service.ts";
import { sendRaw } from "./service_fixture.ts";
import { until } from "../../../../tools/testing/until.ts";
import { generateJwk } from "../../../../tools/testing/generated_key.ts";

describe("a running service whose sealing key changes", () => {
  const fixture = suiteService();

  const ask = () => {
    const { fingerprint, clientId, clientSecret } = fixture.partner;
    return fixture.send("/oauth/token", {
      headers: {
        Authorization: null,
        "X-Forwarded-Client-Cert": `Hash=${fingerprint}`,
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
    });
  };
  /** The kid of the token key that signs now. */
  const signing = async () => {
    const { access_token: token } = await (await ask()).json() as { access_token: string };
    const header = token.split(".")[0]!.replaceAll("-", "+").replaceAll("_", "/");
    return (JSON.parse(atob(header)) as { kid: string }).kid;
  };
  /** Adds the newest token key, sealed with a key that no source has yet. */
  async function addTokenKey(kid: string) {
    const key = randomBytes(32);
    const sealing = await createSealing([key]);
    const { kty, crv, x, y, d } = await generateJwk();
    const sealed = await sealing.seal(JSON.stringify({ kty, crv, x, y, d }));
    await fixture.books.sql`
      select gold.add_token_key(${kid}, ${fixture.books.sql.json({ kty, crv, x, y } as never)}::jsonb,
        ${sealed}::bytea, ${sealing.currentKeyName}, clock_timestamp())`;
    await fixture.refresh();
    const path = fixture.config.sealingKeySource.slice("file:".length);
    return {
      name: sealing.currentKeyName,
      putInSource: async () => {
        await writeFile(path, `${key.toString("hex")}\n${await readFile(path, "utf8")}`);
        await sleep(1100);
      },
    };
  }
  const complaints = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line) as Record<string, string>)
      .filter(({ event }) => event === "token key not opened");

  it("signs with the older token key until the source has the new sealing key, and logs why", async () => {
    const first = await signing();
    // Seal the token key before the source has the sealing key, which is the wrong order.
    const { name, putInSource } = await addTokenKey("newer");
    const startedMs = performance.now();
    assertEquals([await signing(), await signing()], [first, first]);
    // Allow one line a second. The service logs this at most once a second, and a slow run may take longer.
    const again = Math.floor((performance.now() - startedMs) / 1000);
    const [complaint, ...others] = complaints(fixture.log);
    assertEquals([complaint!.setting, complaint!.token_key, complaint!.sealing_key, complaint!.level], [
      "SEALING_KEY_SOURCE",
      "newer",
      name,
      "error",
    ]);
    assert(others.length <= again, `${others.length} more in ${again} s`);
    await putInSource();
    assertEquals(await signing(), "newer");
  });

  it("is not ready and returns 503 while it cannot decrypt any token key", async () => {
    const log: string[] = [];
    const service = await startService(fixture.config, (line) => log.push(line));
    const readiness = async () =>
      (await sendRaw(fixture.config.operationsListen, ["GET /ready HTTP/1.1", "Host: localhost"])).status;
    const untilReadiness = async (status: number) => {
      await until(async () => await readiness() === status, readiness);
    };
    await untilReadiness(200);
    const { sql } = fixture.books;
    await sql`update gold.token_key set retire_at = clock_timestamp() - interval '1 second'`;
    const { name, putInSource } = await addTokenKey("newest");
    const reply = await ask();
    const { code } = await reply.json() as { code: string };
    assertEquals([reply.status, code], [503, "service_unavailable"]);
    // Wait, because the second service learns of the change by its own poll of the registry.
    await until(async () => (await readiness(), complaints(log).length > 0));
    assertEquals([await readiness(), complaints(log)[0]!.sealing_key], [503, name]);
    await putInSource();
    assertEquals(await signing(), "newest");
    await untilReadiness(200);
    await service.stop();
  });
});
