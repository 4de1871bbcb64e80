import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ensurePartnerCa } from "./authorities.ts";
import { asOperator } from "./operator.ts";
import { testPostgres } from "@gold-partner/local-postgres";
import { openState, partnerCaKey } from "./state.ts";

describe("ensurePartnerCa()", () => {
  it("replaces a CA key file that a killed start left, and keeps the CA on the next call", async () => {
    const server = await testPostgres();
    const state = await openState(await mkdtemp(join(tmpdir(), "gold-authorities-")), false);
    try {
      const keys = ["pepper", "sealing_key"].map((name) => state.path("keys", name));
      await Promise.all(["pepper", "sealing_key"].map((name) => state.secret(name)));
      const operator = asOperator(await server.createDatabase());
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
    } finally {
      await state.release();
      await server.stop();
      await rm(state.dir, { recursive: true, force: true });
    }
  });
});
