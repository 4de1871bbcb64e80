import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, Settings } from "./fault.ts";
import { findPostgres } from "./process_faults.ts";

const SHORT: readonly [number, number] = [300, 2000];
const SYNC = "fsync,fdatasync";
const WRITE = "pwrite64,pwritev,fallocate";
/** strace needs this time to attach to all processes of Postgres. */
const ATTACH_MS = 100;

/** Lets system calls fail, or delays them, in every process of Postgres. */
function injected(
  fault: Pick<Fault, "name" | "weight" | "disturbs">,
  calls: string,
  how: (settings: Settings) => string,
): Fault {
  return {
    ...fault,
    family: "disk",
    lasts: SHORT,
    // The first calls of each process succeed, so that the fault strikes in the middle of the work.
    draw: (draw) => ({ from: draw.of([1, 1, 2, 5, 20]), micros: draw.between(20_000, 400_000) }),
    async strike(stage, settings) {
      const pids = findPostgres(stage).flatMap((pid) => ["-p", `${pid}`]);
      if (pids.length === 0) return undefined;
      const inject = `inject=${calls}:${how(settings)}:when=${settings.from}+`;
      // -f follows the processes that the postmaster starts meanwhile.
      const args = ["-f", "-qq", "-o", "/dev/null", "-e", inject, ...pids];
      const strace = spawn("strace", args, { stdio: "ignore" });
      await Promise.race([sleep(ATTACH_MS), once(strace, "exit")]);
      return async () => {
        // strace lets the processes go when SIGTERM ends it. It has ended if they have.
        if (strace.exitCode === null && strace.kill("SIGTERM")) await once(strace, "exit");
      };
    },
  };
}

export const DISK_FAULTS: readonly Fault[] = [
  injected({ name: "fsync fails", weight: 4, disturbs: true }, SYNC, () => "error=EIO"),
  injected({ name: "fsync slow", weight: 3 }, SYNC, ({ micros }) => `delay_enter=${micros}`),
  injected({ name: "writes fail", weight: 3, disturbs: true }, WRITE, () => "error=ENOSPC"),
  {
    name: "disk full",
    disturbs: true,
    weight: 4,
    family: "disk",
    lasts: SHORT,
    draw: (draw) => ({ headroomKiB: draw.of([0, 0, 8, 64, 512]) }),
    async strike({ disk }, settings) {
      disk.fill(Number(settings.headroomKiB));
      return async () => disk.empty();
    },
  },
];
