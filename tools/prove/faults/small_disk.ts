import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import process from "node:process";

const SIZE = "6g";
const TRIES = 20;
const STEP_KIB = 32;

/** A file system in memory that can be made full by shrinking it. */
export class SmallDisk {
  readonly #path: string;
  #isMounted = true;

  /** Moves a folder, whose files nobody may have open, to a new disk at the same path. */
  constructor(path: string) {
    if (process.getuid?.() !== 0) throw new Error("Only root can mount the disk that this proof fills.");
    this.#path = path;
    const { uid, gid } = statSync(path);
    const before = `${path}.before`;
    renameSync(path, before);
    mkdirSync(path);
    execFileSync("mount", [
      "-t",
      "tmpfs",
      "-o",
      `size=${SIZE},uid=${uid},gid=${gid},mode=700`,
      "tmpfs",
      path,
    ]);
    // cp -a keeps the owners of the files.
    execFileSync("cp", ["-a", `${before}/.`, path]);
    rmSync(before, { recursive: true });
  }

  /** Leaves only this much space, or a little more if Postgres writes meanwhile. */
  fill(kibibytes: number): void {
    for (let more = 0; more < TRIES; more++) {
      const { blocks, bfree, bsize } = statfsSync(this.#path);
      const used = (blocks - bfree) * bsize / 1024;
      // Linux refuses a size that is below the used space.
      if (this.#resize(`${used + kibibytes + more * STEP_KIB}k`)) return;
    }
    throw new Error(`The disk ${this.#path} cannot be made full: Postgres writes too fast.`);
  }

  empty(): void {
    if (!this.#resize(SIZE)) throw new Error(`The disk ${this.#path} does not get its size back.`);
  }

  /** May be called again: an interrupted proof stops its deployment twice. */
  unmount(): void {
    if (!this.#isMounted) return;
    this.#isMounted = false;
    // Lazily, because processes of Postgres may end a moment after the postmaster.
    execFileSync("umount", ["--lazy", this.#path]);
  }

  #resize(size: string): boolean {
    return spawnSync("mount", ["-o", `remount,size=${size}`, this.#path], { stdio: "ignore" }).status === 0;
  }
}
