import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { createSealing } from "./sealing.ts";

describe("createSealing()", () => {
  const [older, current] = [randomBytes(32), randomBytes(32)];

  it("opens what it sealed", async () => {
    const sealing = await createSealing([current]);
    for (const text of ["", "whsec_x", "\u0633\u0631 \u{1f511}"]) {
      assertEquals(await sealing.open(await sealing.seal(text), sealing.currentKeyName), text);
    }
  });

  it("seals the same text differently each time, and shows nothing of it", async () => {
    const sealing = await createSealing([current]);
    const [one, two] = [await sealing.seal("whsec_secret"), await sealing.seal("whsec_secret")];
    assertNotEquals(one, two);
    assertEquals(new TextDecoder("latin1").decode(one).includes("whsec"), false);
  });

  it("seals with the first key and opens with any, so that keys rotate with overlap", async () => {
    const before = await createSealing([older]);
    const sealed = await before.seal("old");
    const during = await createSealing([current, older]);
    assertEquals(await during.open(sealed, before.currentKeyName), "old");
    assertNotEquals(during.currentKeyName, before.currentKeyName);
    const after = await createSealing([current]);
    assertEquals(after.currentKeyName, during.currentKeyName);
    await assertRejects(() => after.open(sealed, before.currentKeyName), Error, "keep it until");
  });

  it("does not open what was changed, in any byte, or under another key's name", async () => {
    const sealing = await createSealing([current, older]);
    const sealed = new Uint8Array(await sealing.seal("whsec_secret"));
    for (const at of sealed.keys()) {
      const changed = sealed.slice();
      changed[at]! ^= 1;
      await assertRejects(() => sealing.open(changed, sealing.currentKeyName));
    }
    const { currentKeyName } = await createSealing([older]);
    await assertRejects(() => sealing.open(sealed, currentKeyName));
  });

  it("names a key without telling it", async () => {
    const { currentKeyName } = await createSealing([current]);
    assertEquals(/^[0-9a-f]{16}$/.test(currentKeyName), true);
    assertEquals(current.toString("hex").includes(currentKeyName), false);
  });

  it("refuses to work without a key", async () => {
    await assertRejects(() => createSealing([]), Error, "no sealing key");
  });
});
