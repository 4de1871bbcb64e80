import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { assertRejects } from "@std/assert";
import { LockedError } from "./lock.ts";
import { openState } from "./state.ts";

describe("openState()", () => {
  const temporary = process.env.TMPDIR;
  after(() => {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  });

  it("has one holder at a time, by whichever name the folder goes and whatever TMPDIR says", async () => {
    const home = await mkdtemp(join(tmpdir(), "gold-state-"));
    const [folder, other] = [join(home, "state"), join(home, "other")];
    const state = await openState(folder, false);
    try {
      await symlink(folder, other);
      await assertRejects(() => openState(other, false), LockedError, "runs already");
      process.env.TMPDIR = home;
      await assertRejects(() => openState(folder, false), LockedError, "runs already");
    } finally {
      await state.release();
    }
    await (await openState(other, false)).release();
    await rm(home, { recursive: true });
  });
});
