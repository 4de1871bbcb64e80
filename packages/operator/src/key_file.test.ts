import { chmod, chown, mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { findKeyFile } from "./database.ts";
import { Failure } from "./failure.ts";
import { type KeyFile, openKeyFile } from "./key_file.ts";
import { statePointer, writeStatePointer } from "./run_file.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

const CA = `ca:${"0f".repeat(32)}` as const;

/**
 * Runs `act` as another user than the owner of the file. Gives a file of root away, because root is trusted.
 */
async function asStranger(file: string, act: () => Promise<void>): Promise<void> {
  const getuid = process.getuid!;
  if (getuid() === 0) await chown(file, 12_345, 0);
  process.getuid = () => 54_321;
  try {
    await act();
  } finally {
    process.getuid = getuid;
  }
}

describe("the key file", () => {
  const folder = temporaryFolder("gold-key-file");
  let path: string;
  let keys: KeyFile;
  before(async () => {
    path = join(folder, "keys.json");
    keys = openKeyFile(() => Promise.resolve(path));
  });

  const write = async (text: string, mode = 0o600) => {
    await rm(path, { force: true });
    await writeFile(path, text);
    await chmod(path, mode);
  };
  const fails = async (text: string, words: string, mode?: number) => {
    await write(text, mode);
    const failure = await assertRejects(() => keys.find("pepper"), Failure, words);
    assertEquals([failure.exit, failure.code], [2, "key_file_invalid"]);
  };

  it("maps key names to files and programs", async () => {
    await write(
      JSON.stringify({ pepper: "file:/keys/a b", sealing_key: "command:/bin/key x", [CA]: "file:/ca" }),
    );
    assertEquals(await Promise.all((["pepper", "sealing_key", CA] as const).map(keys.locate)), [
      "file:/keys/a b",
      "command:/bin/key x",
      "file:/ca",
    ]);
  });

  it("is refused as a whole if it has an unknown name, another type, a relative path or no strict JSON", async () => {
    const good = `"pepper": "file:/p"`;
    await fails(`{${good}, "peper": "file:/p"}`, 'names an unknown key "peper"');
    await fails(`{${good}, "ca:00": "file:/p"}`, 'names an unknown key "ca:00"');
    await fails(`{${good}, "__proto__": "file:/p"}`, 'names an unknown key "__proto__"');
    for (const value of ["1", "null", "{}", '["file:/p"]']) {
      await fails(`{${good}, "sealing_key": ${value}}`, 'must have a text for "sealing_key"');
    }
    for (const place of ["file:p", "file:./p", "command:key", "command:bin/key /x", "command: /bin/key"]) {
      await fails(`{${good}, "sealing_key": "${place}"}`, "must have an absolute path");
    }
    for (const place of ["/p", "", "file:", "env:KEY", "0f".repeat(32)]) {
      await fails(`{${good}, "sealing_key": "${place}"}`, "must be file:PATH or command:PROGRAM");
    }
    for (const text of ["", "{", `{${good}, ${good}}`, `{${good}} x`]) {
      await fails(text, "is not JSON that gold accepts");
    }
    for (const text of ["[]", '"file:/p"', "null"]) await fails(text, "must be one JSON object");
  });

  it("is refused if other users may write it, also behind a link, and may be read by them", async () => {
    const good = JSON.stringify({ pepper: "file:/p" });
    for (const mode of [0o620, 0o602, 0o666]) {
      await fails(good, "may be written by other users. Run: chmod go-w", mode);
    }
    const link = join(folder, "link.json");
    await symlink(path, link);
    await assertRejects(
      () => openKeyFile(() => Promise.resolve(link)).find("pepper"),
      Failure,
      "may be written",
    );
    await write(good, 0o644);
    assertEquals(await keys.find("pepper"), "file:/p");
  });

  it("is refused if it belongs to another user", async () => {
    await write(JSON.stringify({ pepper: "file:/p" }));
    await asStranger(path, async () => {
      await assertRejects(() => keys.find("pepper"), Failure, "It must belong to you or to root");
    });
  });

  it("is created with mode 0600, keeps its other names and its mode, and is not written without a change", async () => {
    await rm(path);
    await keys.record("pepper", "file:/p");
    assertEquals((await stat(path)).mode & 0o777, 0o600);
    await chmod(path, 0o644);
    await keys.record(CA, "command:/bin/sign it");
    const { mode, ino } = await stat(path);
    assertEquals(mode & 0o777, 0o644);
    await keys.record(CA, "command:/bin/sign it");
    assertEquals((await stat(path)).ino, ino);
    assertEquals(JSON.parse(await readFile(path, "utf8")), {
      pepper: "file:/p",
      [CA]: "command:/bin/sign it",
    });
    await keys.record(CA, undefined);
    assertEquals(await readFile(path, "utf8"), '{\n  "pepper": "file:/p"\n}\n');
    await assertRejects(() => keys.record("sealing_key", "file:relative"), Failure, "absolute path");
  });

  it("says what to do if it does not name a key, does not exist, or was never set", async () => {
    await write("{}");
    await assertRejects(() => keys.locate("pepper"), Failure, `${path} does not name "pepper"`);
    await assertRejects(() => keys.locate(CA), Failure, `gold ca move-key ${"0f".repeat(32)} --key FILE`);
    const missing = join(folder, "missing.json");
    await assertRejects(
      () => openKeyFile(() => Promise.resolve(missing)).locate("pepper"),
      Failure,
      `${missing} does not exist`,
    );
    const none = openKeyFile(() => Promise.resolve(undefined));
    const failure = await assertRejects(() => none.locate("pepper"), Failure, "GOLD_KEYS is not set");
    assertEquals([failure.exit, failure.code], [2, "key_place_unknown"]);
    assertEquals(await none.find("pepper"), undefined);
  });
});

describe("findKeyFile()", () => {
  const [one, two] = [
    "postgres://one:x@127.0.0.1:9/gold_test",
    "postgres://two:y@127.0.0.1:9/gold_test",
  ] as const;
  const pointer = statePointer(one);
  const state = temporaryFolder("gold-state");
  before(() =>
    writeFile(join(state, "run.json"), JSON.stringify({ database_url: one, second_database_url: two }))
  );
  after(() => Promise.all([rm(state, { recursive: true }), rm(pointer, { recursive: true, force: true })]));

  const point = async (mode = 0o600) => {
    await rm(pointer, { recursive: true, force: true });
    await writeStatePointer(one, state);
    await chmod(pointer, mode);
  };
  const found = (DATABASE_URL: string, GOLD_KEYS?: string) =>
    findKeyFile({ DATABASE_URL, GOLD_KEYS }, "/nowhere");

  it("returns GOLD_KEYS first, which must be absolute", async () => {
    await point();
    assertEquals(await found(one, "/keys.json"), "/keys.json");
    await assertRejects(() => found(one, "keys.json"), Failure, "GOLD_KEYS must be an absolute path");
  });

  it("returns the key file of the start whose run.json has this DATABASE_URL, and of no other", async () => {
    await point();
    assertEquals([await found(one), await found(two)], [join(state, "keys.json"), join(state, "keys.json")]);
    assertEquals(await found(one.replace(":x@", ":z@")), undefined);
    assertEquals(await found(one.replace(":9/", ":10/")), undefined);
    await rm(pointer);
    assertEquals(await found(one), undefined);
  });

  it("ignores a pointer that is a link, that others can open, or that another user made", async () => {
    for (const mode of [0o640, 0o604, 0o622]) {
      await point(mode);
      assertEquals(await found(one), undefined, mode.toString(8));
    }
    await point();
    await rename(pointer, join(state, "pointer"));
    await symlink(join(state, "pointer"), pointer);
    assertEquals(await found(one), undefined);
    await rm(pointer);
    await mkdir(pointer);
    assertEquals(await found(one), undefined);
    await point();
    await asStranger(pointer, async () => {
      const theirs = statePointer(one);
      await rename(pointer, theirs);
      assertEquals(await found(one), undefined);
      await rm(theirs);
    });
  });

  it("is not found by a start whose pointer another user replaced with a link, which stays as it is", async () => {
    await rm(pointer, { recursive: true, force: true });
    const target = join(state, "target");
    await writeFile(target, "mine");
    await symlink(target, pointer);
    await assertRejects(() => writeStatePointer(one, state), Error, "not a regular file");
    assertEquals(await readFile(target, "utf8"), "mine");
  });

  it("returns the key file of the state folder if DATABASE_URL is not set", async () => {
    assertEquals(await findKeyFile({}, state), join(state, "keys.json"));
  });
});
