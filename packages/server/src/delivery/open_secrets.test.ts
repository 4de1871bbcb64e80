import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { newWebhookSecret } from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { createSealing, type Sealing } from "../settings/sealing.ts";
import { createSecretOpener } from "./open_secrets.ts";

describe("createSecretOpener()", () => {
  const text = newWebhookSecret((length) => new Uint8Array(randomBytes(length)));
  const stage = async () => {
    const sealing = await createSealing([randomBytes(32)]);
    const lines: Record<string, unknown>[] = [];
    const open = createSecretOpener(
      sealing,
      (client) => client === 1 ? "sbx_one" : undefined,
      (level, event, fields) => void lines.push({ level, event, ...fields }),
    );
    return { sealing, lines, open };
  };
  const sealedBy = async (sealing: Sealing, id: number, secret = text) => ({
    id,
    sealed: Buffer.from(await sealing.seal(secret)).toString("base64"),
    sealing_key: sealing.currentKeyName,
    retire_at: id === 1 ? null : "2030-01-02T03:04:05.678Z",
  });
  const lost = { id: 9, sealed: "AAAA", sealing_key: "lost", retire_at: null };

  it("decrypts the active secrets and returns when each one retires", async () => {
    const { sealing, open, lines } = await stage();
    const opened = await open(1, [await sealedBy(sealing, 1), await sealedBy(sealing, 2)]);
    const ends = [Infinity, Date.parse("2030-01-02T03:04:05.678Z")];
    assertEquals(opened.map(({ id, retireAtMs }) => [id, retireAtMs]), [[1, ends[0]], [2, ends[1]]]);
    const mac = (one: number) => Buffer.from(opened[one]!.secret.mac(Buffer.from("x"))).toString("hex");
    assertEquals(mac(0), mac(1));
    assertEquals(lines, []);
  });

  it("omits a secret that it cannot decrypt, and logs it again only after a success in between", async () => {
    const { sealing, open, lines } = await stage();
    const good = await sealedBy(sealing, 9);
    for (const sealed of [[lost], [lost], [lost, await sealedBy(sealing, 1)]]) {
      assertEquals((await open(1, sealed)).length, sealed.length - 1);
    }
    assertEquals(lines.length, 1);
    assertEquals((await open(1, [good])).length, 1);
    await open(1, [lost]);
    const line = { level: "error", event: "webhook secret not opened", client_id: "sbx_one" };
    assertEquals(lines, Array(2).fill({ ...line, setting: "SEALING_KEY_SOURCE", sealing_key: "lost" }));
  });

  it("treats decrypted text that is not a valid secret like a secret that cannot be decrypted", async () => {
    const { sealing, open, lines } = await stage();
    assertEquals(await open(1, [await sealedBy(sealing, 1, "no secret")]), []);
    assertEquals(lines.length, 1);
    assertEquals(JSON.stringify(lines).includes("no secret"), false);
  });

  it("logs only once that a partner has no active secret", async () => {
    const { open, lines } = await stage();
    for (let n = 0; n < 3; n++) assertEquals(await open(2, []), []);
    assertEquals(lines, [{ level: "error", event: "webhook secret not opened", code: "none_active" }]);
  });
});
