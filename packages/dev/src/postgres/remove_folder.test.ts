import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import { removeFolder } from "./remove_folder.ts";

const FILES = 2000;
const WRITE_MS = 500;
const WRITER = `
  import { mkdirSync } from "node:fs";
  const untilMs = performance.now() + ${WRITE_MS};
  for (let number = 0; performance.now() < untilMs; number++) mkdirSync(process.argv[1] + "/new/" + number, { recursive: true });`;

describe("removeFolder()", () => {
  it("does not fail while a process writes to the folder, and removes it after that process has ended", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gold-remove-"));
    mkdirSync(join(folder, "old"));
    for (let number = 0; number < FILES; number++) writeFileSync(join(folder, "old", `${number}`), "");
    const writer = spawn("node", ["--input-type=module", "-e", WRITER, folder], { stdio: "inherit" });
    const ended = once(writer, "exit");
    while (!existsSync(join(folder, "new"))) await sleep(1);
    await removeFolder(folder);
    await ended;
    await removeFolder(folder);
    assertEquals(existsSync(folder), false);
  });
});
