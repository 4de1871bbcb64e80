import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { testService } from "@gold-partner/server/testing";
import type { Finding } from "../stage/report.ts";
import { ACCOUNT, DebianPostgres, makeServerFolder } from "../../testing/debian_postgres.ts";
import { askQuote, untilHealth } from "./asking.ts";

const DISK_MEGABYTES = 400;

/** Fills a server's disk to the last byte. The disk is a small file system in memory. */
export async function fillDisk(): Promise<Finding> {
  if (process.getuid?.() !== 0) throw new Error("Only root can mount the small disk that this proof fills.");
  const folder = makeServerFolder();
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const owner = `uid=${ACCOUNT.uid},gid=${ACCOUNT.gid},mode=700`;
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MEGABYTES}m,${owner}`, "tmpfs", disk]);
  let server: DebianPostgres | undefined;
  try {
    server = await DebianPostgres.create(disk);
    process.env.TEST_POSTGRES_URL = server.url();
    const service = await testService();
    try {
      const violations: string[] = [];
      const before = await askQuote(service);
      const filler = join(disk, "filler");
      fill(filler);
      await untilHealth(service, 503);
      const full = await askQuote(service);
      rmSync(filler);
      await untilHealth(service, 200);
      const after = await askQuote(service);
      if (before !== 201 || full !== 503 || after !== 201) {
        violations.push(`a quote got ${before} before, ${full} on a full disk and ${after} after`);
      }
      return {
        what: "/health 503 and writes refused on a full disk; both work again once there is space",
        violations,
      };
    } finally {
      await service.stop();
    }
  } finally {
    await server?.crash();
    execFileSync("umount", [disk]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes until there is no space for one more byte. */
function fill(path: string): void {
  const file = openSync(path, "w");
  let size = 1 << 20;
  while (size >= 1) {
    try {
      if (writeSync(file, new Uint8Array(size)) < size) size = Math.floor(size / 2);
    } catch {
      size = Math.floor(size / 2);
    }
  }
  closeSync(file);
}
