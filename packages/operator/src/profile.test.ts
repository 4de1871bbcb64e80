import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";
import { withProfile } from "./profile.ts";

describe("withProfile()", () => {
  const folder = temporaryFolder("gold-profile");
  async function profile(text: string, mode = 0o600): Promise<string> {
    const file = join(folder, "profile.json");
    await writeFile(file, text);
    await chmod(file, mode);
    return file;
  }

  it("adds the settings of the file, after those of the environment", async () => {
    const GOLD_PROFILE = await profile('{"DATABASE_URL":"postgres://a","OPERATOR_KEYS":"/keys"}');
    assertEquals(withProfile({ GOLD_PROFILE, OPERATOR_KEYS: "/other" }), {
      ...{ GOLD_PROFILE, DATABASE_URL: "postgres://a", OPERATOR_KEYS: "/other" },
    });
    assertEquals(withProfile({ PATH: "/bin" }), { PATH: "/bin" });
  });

  it("accepts the profile of docs/operator.md", async () => {
    const page = await readFile(new URL("../../../docs/operator.md", import.meta.url), "utf8");
    const [, block] = /^```json\n([^`]+)```$/m.exec(page)!;
    const { GOLD_SSH_KEY } = withProfile({ GOLD_PROFILE: await profile(block!) });
    assertEquals(GOLD_SSH_KEY, "/etc/gold/amal_key");
  });

  it("refuses a file that others may read, that is missing, or that has something else", async () => {
    const table: readonly (readonly [text: string, mode: number, words: string])[] = [
      ["{}", 0o640, "chmod 600"],
      ["{", 0o600, "not JSON"],
      ["[]", 0o600, "must be a JSON object"],
      ['{"PASSWORD":"x"}', 0o600, "which has PASSWORD. It may have DATABASE_URL"],
      ['{"DATABASE_URL":1}', 0o600, "in which DATABASE_URL is not a text"],
    ];
    for (const [text, mode, words] of table) {
      const GOLD_PROFILE = await profile(text, mode);
      assertThrows(() => withProfile({ GOLD_PROFILE }), Error, words);
    }
    assertThrows(() => withProfile({ GOLD_PROFILE: join(folder, "none") }), Error, "cannot be read: ENOENT");
  });
});
