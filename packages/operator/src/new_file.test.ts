import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Failure } from "./failure.ts";
import { replaceFile, withNewFile, writeNewFile } from "./new_file.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

describe("withNewFile()", () => {
  const folder = temporaryFolder("gold-file");

  const refusedAs = async (file: string) => {
    let acted = false;
    const act = () => Promise.resolve(void (acted = true));
    const { message, exit } = await assertRejects(() => withNewFile(file, "text", act), Failure);
    assertEquals([exit, acted], [2, false]);
    return message;
  };

  it("creates the file after the act and not before, and leaves no other file", async () => {
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

  it("leaves no file if the act fails, and rethrows its error", async () => {
    const file = join(folder, "two");
    await assertRejects(() => withNewFile(file, "text", () => Promise.reject(new Error("no"))), Error, "no");
    assertEquals(await readdir(folder), ["one"]);
  });

  it("with isOnlyCopy, keeps the draft after a lost connection, and names the draft in the error", async () => {
    const file = join(folder, "lost");
    const lose = () => Promise.reject(Object.assign(new Error("write"), { code: "CONNECTION_CLOSED" }));
    await assertRejects(() => withNewFile(file, "text", lose), Error, "write");
    assertEquals(await readdir(folder), ["one"]);
    const { exit, code, message } = await assertRejects(
      () => withNewFile(file, "text", lose, { isOnlyCopy: true }),
      Failure,
    );
    assertEquals([exit, code], [3, "outcome_unknown"]);
    const kept = / is in (\S+): /.exec(message)![1]!;
    assertEquals(await readFile(kept, "utf8"), "text");
    await rm(kept);
    const refuse = () => Promise.reject(Object.assign(new Error("no"), { code: "GR409" }));
    await assertRejects(() => withNewFile(file, "text", refuse, { isOnlyCopy: true }), Error, "no");
    assertEquals(await readdir(folder), ["one"]);
  });

  it("does not act if the file exists, is a dangling link, or cannot be written", async () => {
    await symlink(join(folder, "gone"), join(folder, "link"));
    for (const name of ["one", "link", "."]) {
      assertStringIncludes(await refusedAs(join(folder, name)), "exists");
    }
    assertStringIncludes(await refusedAs(join(folder, "nowhere", "file")), "cannot be written");
    // Use names for which even removing the draft fails.
    for (const file of [join(folder, "one", "file"), join(folder, "x".repeat(300))]) {
      assertStringIncludes(await refusedAs(file), "cannot be written, and nothing was done");
    }
    await rm(join(folder, "link"));
  });

  it("does not overwrite a file that was created during the act", async () => {
    const file = join(folder, "three");
    const { exit, code, message } = await assertRejects(
      () => withNewFile(file, "text", () => writeFile(file, "mine")),
      Failure,
    );
    assertEquals([exit, code, await readFile(file, "utf8")], [3, "file_not_in_place", "mine"]);
    // The draft with the text is kept, because the act cannot be undone.
    const kept = / is in (\S+): /.exec(message)![1]!;
    assertEquals(await readFile(kept, "utf8"), "text");
    await rm(kept);
    assertEquals((await readdir(folder)).toSorted(), ["one", "three"]);
  });
});

describe("writeNewFile()", () => {
  const folder = temporaryFolder("gold-file");

  it("leaves no partial file after a failed write, and keeps an existing file unchanged", async () => {
    // Write a Symbol. Like a write to a full disk, this fails after the file was opened.
    await assertRejects(() => writeNewFile(join(folder, "part"), Symbol() as never, 0o600));
    assertEquals(await readdir(folder), []);
    await writeFile(join(folder, "key"), "mine");
    await assertRejects(() => writeNewFile(join(folder, "key"), "text", 0o600), Error, "EEXIST");
    assertEquals(await readFile(join(folder, "key"), "utf8"), "mine");
  });
});

describe("replaceFile()", () => {
  const folder = temporaryFolder("gold-file");

  it("replaces a regular file, and refuses to replace a link or a folder", async () => {
    const file = join(folder, "list");
    for (const text of ["old", "new"]) await replaceFile(file, text, 0o644);
    assertEquals([await readFile(file, "utf8"), (await stat(file)).mode & 0o777], ["new", 0o644]);
    await symlink(file, join(folder, "link"));
    for (const name of ["link", "."]) {
      await assertRejects(() => replaceFile(join(folder, name), "x", 0o644), Error, "not a regular file");
    }
    assertEquals((await readdir(folder)).toSorted(), ["link", "list"]);
  });
});
