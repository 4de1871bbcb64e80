// Describes the machine and the commit of a measurement, because figures cannot be compared without them.
import { execFileSync } from "node:child_process";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import process from "node:process";

interface Surroundings {
  readonly commit: string;
  readonly runtime: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  /** Load average of the last minute, read before the measurement. A high load makes the figures worse. */
  readonly load: number;
}

export function readSurroundings(): Surroundings {
  const { deno, node } = process.versions;
  return {
    commit: readCommit(),
    runtime: deno ? `Deno ${deno}` : `Node ${node}`,
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    load: loadavg()[0] ?? 0,
  };
}

export function reportSurroundings(
  { commit, runtime, processor, cores, memoryGib, system, load }: Surroundings,
): string {
  return `${runtime}, ${cores} x ${processor}, ${memoryGib} GiB, ${system}, load ${
    load.toFixed(1)
  }, commit ${commit}`;
}

/** Returns the short commit hash, with a plus sign if the working tree differs from it. */
function readCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain") === "" ? "" : "+");
  } catch {
    return "unknown"; // an unpacked archive has no commit
  }
}
