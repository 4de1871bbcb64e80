import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ensurePartnerCa } from "./authorities.ts";
import { keyFileOf } from "./key_file.ts";
import { asOperator } from "./operator.ts";
import { testPostgres } from "./postgres/mod.ts";
import { openState, partnerCaKey } from "./state.ts";

describe("ensurePartnerCa()", () => {
  it("replaces a CA key file that a killed start left, keeps the CA on the next call, and records its key", async () => {
    const server = await testPostgres();
    const state = await openState(await mkdtemp(join(tmpdir(), "gold-authorities-")), false);
    try {
      const keys = ["pepper", "sealing_key"].map((name) => state.path("keys", name));
      await Promise.all(["pepper", "sealing_key"].map((name) => state.secret(name)));
      const operator = asOperator(await server.createDatabase(), undefined, keyFileOf(state));
      await operator(
        "db migrate --env sandbox --base-url https://localhost:1 --loopback-receivers",
        ...["--pepper", `file:${keys[0]}`, "--sealing-key", `file:${keys[1]}`],
      );
      await writeFile(partnerCaKey(state), "not a CA key");
      const certificate = await ensurePartnerCa(state, operator);
      const key = await readFile(partnerCaKey(state), "utf8");
      assertStringIncludes(key, "PRIVATE KEY");
      assertEquals(await ensurePartnerCa(state, operator), certificate);
      assertEquals(await readFile(partnerCaKey(state), "utf8"), key);
      const places = async () =>
        Object.entries(JSON.parse(await readFile(keyFileOf(state), "utf8")) as Record<string, string>);
      const recorded = (await places()).filter(([name]) => name.startsWith("ca:"));
      assertEquals(recorded.map(([, place]) => place), [`file:${partnerCaKey(state)}`]);
      // A state folder of 0.4.0 has no key file.
      await rm(keyFileOf(state));
      await ensurePartnerCa(state, operator);
      assertEquals(await places(), recorded);
    } finally {
      await state.release();
      await server.stop();
      await rm(state.dir, { recursive: true, force: true });
    }
  });
});
