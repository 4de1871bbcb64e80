import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { isKeySource, type KeySource, KeySourceError, readKeys } from "./key_source.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

const [FIRST, SECOND] = ["0f".repeat(32), "a1".repeat(32)];

describe("readKeys()", () => {
  const folder = temporaryFolder("gold-test");

  async function fromFile(text: string): Promise<Uint8Array[]> {
    const path = join(folder, "key");
    await writeFile(path, text);
    return await readKeys(`file:${path}`);
  }

  it("reads one key per line, the current key first", async () => {
    const keys = await fromFile(`${FIRST}\n  ${SECOND}\r\n\n`);
    assertEquals(keys.map((key) => [key.length, key[0], key[31]]), [[32, 0x0f, 0x0f], [32, 0xa1, 0xa1]]);
  });

  it("reads the key that a command prints", async () => {
    assertEquals((await readKeys(`command:echo ${FIRST}`)).length, 1);
  });

  it("passes the environment without the database login to the command", async () => {
    const names = ["DATABASE_URL", "MIGRATION_DATABASE_URL", "PGPASSWORD", "GOLD_TEST_KEY"];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = FIRST;
    try {
      assertEquals((await readKeys("command:printenv GOLD_TEST_KEY")).length, 1);
      for (const name of names.slice(0, 3)) {
        await assertRejects(() => readKeys(`command:printenv ${name}`), KeySourceError, "returned no key");
      }
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it("rejects malformed keys with an error that says how to make a key and shows no key", async () => {
    const texts = [
      "",
      "\n",
      FIRST.slice(2),
      `${FIRST}00`,
      FIRST.toUpperCase(),
      `${FIRST}\nhunter2`,
      "hunter2",
    ];
    for (const text of texts) {
      const error = await assertRejects(() => fromFile(text), KeySourceError, "openssl rand -hex 32");
      assertEquals(error.code, "key_source_malformed");
      assertEquals(error.message.includes("hunter2") || error.message.includes(FIRST.slice(2)), false);
    }
  });

  it("names the file or program that cannot be read or run", async () => {
    const missing = await assertRejects(() => readKeys("file:/nowhere/key"), KeySourceError, "/nowhere/key");
    assertEquals(missing.code, "key_source_unreadable");
    for (const source of ["command:/nowhere/program", "command:false"] as const) {
      const { code } = await assertRejects(
        () => readKeys(source),
        KeySourceError,
        `${source} returned no key`,
      );
      assertEquals(code, "key_source_failed");
    }
  });
});

describe("isKeySource()", () => {
  it("returns true only for file: and command: sources", () => {
    const good: KeySource[] = ["file:/x", "command:x y"];
    assertEquals(good.every(isKeySource), true);
    assertEquals(["file:", "command:", "x", "env:X", ` file:/x`, FIRST].some(isKeySource), false);
  });
});
