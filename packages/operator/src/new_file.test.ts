import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Failure } from "./failure.ts";
import { withNewFile } from "./new_file.ts";

describe("withNewFile()", () => {
  let folder: string;
  before(async () => void (folder = await mkdtemp(join(tmpdir(), "gold-file-"))));
  after(() => rm(folder, { recursive: true }));

  const refusedAs = async (file: string) => {
    let acted = false;
    const act = () => Promise.resolve(void (acted = true));
    const { message, exit } = await assertRejects(() => withNewFile(file, "text", act), Failure);
    assertEquals([exit, acted], [2, false]);
    return message;
  };

  it("has the file in its place after the act, not before, and leaves nothing else", async () => {
    const file = join(folder, "one");
    let during: string[] = [];
    const result = await withNewFile(file, "text\n", async () => {
      during = await readdir(folder);
      return 7;
    });
    assertEquals([result, during.includes("one"), during.length], [7, false, 1]);
    assertEquals([await readFile(file, "utf8"), await readdir(folder)], ["text\n", ["one"]]);
    assertEquals((await stat(file)).mode & 0o777, 0o600);
  });

  it("leaves no file where the act fails, and passes its error on", async () => {
    const file = join(folder, "two");
    await assertRejects(() => withNewFile(file, "text", () => Promise.reject(new Error("no"))), Error, "no");
    assertEquals(await readdir(folder), ["one"]);
  });

  it("does not act where the file is there, be it a link to nowhere, or cannot be written", async () => {
    await symlink(join(folder, "gone"), join(folder, "link"));
    for (const name of ["one", "link", "."]) {
      assertStringIncludes(await refusedAs(join(folder, name)), "exists");
    }
    assertStringIncludes(await refusedAs(join(folder, "nowhere", "file")), "cannot be written");
    // Of these the draft cannot even be taken away.
    for (const file of [join(folder, "one", "file"), join(folder, "x".repeat(300))]) {
      assertStringIncludes(await refusedAs(file), "cannot be written, and nothing was done");
    }
    await rm(join(folder, "link"));
  });

  it("writes over no file that came there during the act", async () => {
    const file = join(folder, "three");
    const { exit, code, message } = await assertRejects(
      () => withNewFile(file, "text", () => writeFile(file, "mine")),
      Failure,
    );
    assertEquals([exit, code, await readFile(file, "utf8")], [3, "file_not_in_place", "mine"]);
    // What was done cannot be undone, so what tells of it is kept.
    const kept = / is in (\S+): move it/.exec(message)![1]!;
    assertEquals(await readFile(kept, "utf8"), "text");
    await rm(kept);
    assertEquals((await readdir(folder)).toSorted(), ["one", "three"]);
  });
});
