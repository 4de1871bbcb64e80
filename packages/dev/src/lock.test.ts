import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertRejects } from "@std/assert";
import { LockedError, takeLock } from "./lock.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

describe("takeLock()", () => {
  const folder = temporaryFolder("gold-lock");

  it("throws while another holder has the lock, and takes the lock after its release", async () => {
    const path = join(folder, "held");
    const lock = await takeLock(path, "taken");
    await assertRejects(() => takeLock(path, "taken"), LockedError, "taken");
    await lock.release();
    await (await takeLock(path, "taken")).release();
  });

  it("takes over the lock file of a killed holder", async () => {
    const path = join(folder, "stale");
    await writeFile(path, "");
    await (await takeLock(path, "taken")).release();
  });

  it("takes over a socket that is still open but on which no lock holder answers", async () => {
    const path = join(folder, "inherited");
    const accepted: Socket[] = [];
    const silent = createServer((socket) => accepted.push(socket)).listen(path);
    await once(silent, "listening");
    const lock = await takeLock(path, "taken");
    await assertRejects(() => takeLock(path, "taken"), LockedError);
    await lock.release();
    for (const socket of accepted) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
});
