import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { createSealing, openSealing } from "./sealing.ts";

describe("createSealing()", () => {
  const [older, current] = [randomBytes(32), randomBytes(32)];

  it("decrypts text that it encrypted", async () => {
    const sealing = await createSealing([current]);
    for (const text of ["", "whsec_x", "\u0633\u0631 \u{1f511}"]) {
      assertEquals(await sealing.open(await sealing.seal(text), sealing.currentKeyName), text);
    }
  });

  it("encrypts the same text differently each time, and reveals no part of it", async () => {
    const sealing = await createSealing([current]);
    const [one, two] = [await sealing.seal("whsec_secret"), await sealing.seal("whsec_secret")];
    assertNotEquals(one, two);
    assertEquals(new TextDecoder("latin1").decode(one).includes("whsec"), false);
  });

  it("encrypts with the first key and decrypts with any, so that keys rotate with overlap", async () => {
    const before = await createSealing([older]);
    const sealed = await before.seal("old");
    const during = await createSealing([current, older]);
    assertEquals(await during.open(sealed, before.currentKeyName), "old");
    assertNotEquals(during.currentKeyName, before.currentKeyName);
    const after = await createSealing([current]);
    assertEquals(after.currentKeyName, during.currentKeyName);
    await assertRejects(() => after.open(sealed, before.currentKeyName), Error, "keep it until");
  });

  it("does not decrypt bytes that were changed, or that are given with another key's name", async () => {
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

  it("names a key without revealing it", async () => {
    const { currentKeyName } = await createSealing([current]);
    assertEquals(/^[0-9a-f]{16}$/.test(currentKeyName), true);
    assertEquals(current.toString("hex").includes(currentKeyName), false);
  });

  it("rejects an empty list of keys", async () => {
    await assertRejects(() => createSealing([]), Error, "no sealing key");
  });
});

describe("openSealing()", () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];

  /** A source and a clock that the test can change. */
  const open = async () => {
    const source = { keys: [older], reads: 0, fails: false, nowMs: 0 };
    const sealing = await openSealing(async () => {
      source.reads++;
      await Promise.resolve();
      if (source.fails) throw new Error("the source is away");
      return source.keys;
    }, () => source.nowMs);
    return { source, sealing };
  };
  const sealedBy = async (key: Uint8Array) => {
    const sealing = await createSealing([key]);
    return [await sealing.seal("secret"), sealing.currentKeyName] as const;
  };

  it("reads its source only once while it knows every key", async () => {
    const { source, sealing } = await open();
    assertEquals(await sealing.open(...await sealedBy(older)), "secret");
    assertEquals(await sealing.open(await sealing.seal("own"), sealing.currentKeyName), "own");
    assertEquals(source.reads, 1);
  });

  it("reads its source again for an unknown key, and then encrypts with the new key", async () => {
    const { source, sealing } = await open();
    const [sealed, name] = await sealedBy(newer);
    source.keys = [newer, older];
    assertNotEquals(sealing.currentKeyName, name);
    assertEquals(await sealing.open(sealed, name), "secret");
    assertEquals([sealing.currentKeyName, source.reads], [name, 2]);
    assertEquals(await sealing.open(await sealing.seal("own"), name), "own");
    assertEquals(await sealing.open(...await sealedBy(older)), "secret");
  });

  it("reads its source once for concurrent calls, and at most once a second for an unknown key", async () => {
    const { source, sealing } = await open();
    const [sealed, name] = await sealedBy(newer);
    const attempt = () => assertRejects(() => sealing.open(sealed, name), Error, "not among the configured");
    await Promise.all([attempt(), attempt(), attempt()]);
    assertEquals(source.reads, 2);
    source.nowMs = 999;
    await attempt();
    assertEquals(source.reads, 2);
    source.nowMs = 1000;
    source.keys = [newer];
    assertEquals(await sealing.open(sealed, name), "secret");
    assertEquals(source.reads, 3);
  });

  it("keeps its keys while the source fails or returns no key", async () => {
    const { source, sealing } = await open();
    const [sealed, name] = await sealedBy(newer);
    const attempt = () => assertRejects(() => sealing.open(sealed, name), Error, "not among the configured");
    source.fails = true;
    await attempt();
    source.nowMs = 2000;
    [source.fails, source.keys] = [false, []];
    await attempt();
    assertEquals([source.reads, await sealing.open(...await sealedBy(older))], [3, "secret"]);
  });

  it("rejects if the source fails or contains no key", async () => {
    await assertRejects(() => openSealing(() => Promise.reject(new Error("away")), () => 0), Error, "away");
    await assertRejects(() => openSealing(() => Promise.resolve([]), () => 0), Error, "no sealing key");
  });
});
