import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { LockedError } from "./lock.ts";
import { openState, StateError } from "./state.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

describe("openState()", () => {
  it("allows one holder at a time, also if the folder is reached by a symbolic link", async () => {
    const home = temporaryFolder("gold-state");
    const [folder, other] = [join(home, "state"), join(home, "other")];
    const state = await openState(folder, false);
    try {
      await symlink(folder, other);
      await assertRejects(() => openState(other, false), LockedError, "is already running");
      await assertRejects(() => openState(folder, false), LockedError, "is already running");
    } finally {
      await state.release();
    }
    await (await openState(other, false)).release();
  });

  it("removes its own state with reset, and changes no folder that it did not create", async () => {
    const home = temporaryFolder("gold-state");
    const own = await openState(join(home, "own"), false);
    const pepper = await own.secret("pepper");
    assertEquals(await own.secret("pepper"), pepper);
    await own.release();
    const fresh = await openState(join(home, "own"), true);
    assertNotEquals(await fresh.secret("pepper"), pepper);
    await fresh.release();
    await writeFile(join(home, "thesis.txt"), "precious");
    for (const reset of [false, true]) {
      await assertRejects(() => openState(home, reset), StateError, "did not create");
      await assertRejects(
        () => openState(join(home, "thesis.txt"), reset),
        StateError,
        "cannot be read as a folder",
      );
    }
    assertEquals((await readdir(home)).sort(), ["own", "thesis.txt"]);
    assertEquals(await readFile(join(home, "thesis.txt"), "utf8"), "precious");
  });

  it("keeps the folders of Docker Compose and of load tests, also with reset", async () => {
    const home = temporaryFolder("gold-state");
    for (const folder of ["compose", "loadtest"]) {
      await mkdir(join(home, folder));
      await writeFile(join(home, folder, "kept"), "precious");
    }
    for (const reset of [false, true]) {
      const state = await openState(home, reset);
      await state.release();
      await writeFile(state.path("partners", "mark"), "");
    }
    await (await openState(home, true)).release();
    assertEquals(await readdir(join(home, "partners")), []);
    for (const folder of ["compose", "loadtest"]) assertEquals(await readdir(join(home, folder)), ["kept"]);
  });

  it("rejects a secret file that is damaged or cannot be read", async () => {
    const home = temporaryFolder("gold-state");
    const state = await openState(home, false);
    const pepper = await state.secret("pepper");
    for (const damaged of ["", pepper.slice(0, 20), pepper.replace(/^./, "x")]) {
      await writeFile(state.path("keys", "pepper"), damaged);
      await assertRejects(() => state.secret("pepper"), StateError, "was changed after npm start wrote it");
    }
    await rm(state.path("keys", "pepper"));
    await mkdir(state.path("keys", "pepper"));
    await assertRejects(() => state.secret("pepper"), StateError, "cannot be read: EISDIR");
    await state.release();
  });
});
