import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { accountOfNew, closedFolder, launch } from "./account.ts";
import { findBinaries } from "./binaries.ts";

describe("closedFolder()", () => {
  let outer: string;
  let inner: string;

  beforeEach(() => {
    outer = mkdtempSync(join(tmpdir(), "gold-closed-"));
    inner = join(outer, "inner");
    mkdirSync(inner);
  });

  afterEach(() => rmSync(outer, { recursive: true }));

  it("returns the first folder on the path that the account may not enter", () => {
    const { uid, gid } = statSync(outer);
    const owner = { uid, gid: gid + 1 };
    const group = { uid: uid + 1, gid };
    const other = { uid: uid + 1, gid: gid + 1 };
    const cases = [[0o700, [group, other]], [0o710, [other]], [0o711, []], [0o611, [owner]]] as const;
    for (const [mode, closedTo] of cases) {
      chmodSync(outer, mode);
      for (const account of [owner, group, other]) {
        const expected = (closedTo as readonly object[]).includes(account) ? outer : undefined;
        assertEquals(
          closedFolder(outer, account),
          expected,
          `${mode.toString(8)} ${JSON.stringify(account)}`,
        );
      }
    }
    chmodSync(outer, 0o700);
    chmodSync(inner, 0o700);
    assertEquals(closedFolder(inner, other), outer);
    chmodSync(outer, 0o711);
    assertEquals(closedFolder(inner, other), inner);
  });
});

describe("launch()", () => {
  it("runs programs in a folder that other users may not enter, such as root's home", async () => {
    const closed = mkdtempSync(join(tmpdir(), "gold-closed-"));
    const native = join(dirname((await findBinaries()).initdb), "..");
    for (const name of ["bin", "lib"]) {
      cpSync(join(native, name), join(closed, name), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !path.endsWith(".a") && !path.endsWith("/lib/postgresql"),
      });
    }
    const logFd = openSync(join(closed, "log"), "w");
    const command = join(closed, "bin/initdb");
    const child = launch({
      account: accountOfNew(),
      command,
      args: [`--pgdata=${closed}/db`],
      folders: [],
      logFd,
    });
    await once(child, "exit");
    closeSync(logFd);
    const printed = readFileSync(join(closed, "log"), "utf8");
    // Expect an error about the share folder, which was not copied. It shows that initdb found itself and its
    // server.
    assertStringIncludes(printed, "share");
    assertEquals(printed.includes("denied"), false, printed);
    rmSync(closed, { recursive: true });
  });
});
