import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertRejects } from "@std/assert";
import { LockedError } from "./lock.ts";
import { openState } from "./state.ts";

describe("openState()", () => {
  it("has one holder at a time, by whichever name the folder goes", async () => {
    const home = await mkdtemp(join(tmpdir(), "gold-state-"));
    const [folder, other] = [join(home, "state"), join(home, "other")];
    const state = await openState(folder, false);
    try {
      await symlink(folder, other);
      await assertRejects(() => openState(other, false), LockedError, "runs already");
      await assertRejects(() => openState(folder, false), LockedError, "runs already");
    } finally {
      await state.release();
    }
    await (await openState(other, false)).release();
    await rm(home, { recursive: true });
  });
});
