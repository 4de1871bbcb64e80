import { chmodSync, existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deployment } from "../stage/deployment.ts";

/** The path of the library as Debian's package installs it, on any CPU architecture. */
export function findFaketime(): string | undefined {
  const folders = existsSync("/usr/lib") ? readdirSync("/usr/lib") : [];
  return folders.map((folder) => `/usr/lib/${folder}/faketime/libfaketime.so.1`).find(existsSync);
}

/** The clock of a deployment's Postgres, which can be set while it runs. */
export class FakeClock {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts Postgres again with a clock that is ahead of the machine's. */
  static async start(deployment: Deployment, library: string, aheadSeconds: number): Promise<FakeClock> {
    const folder = await mkdtemp(join(tmpdir(), "gold-clock-"));
    // Let other users read the file, because Postgres may run as another user.
    chmodSync(folder, 0o755);
    const clock = new FakeClock(folder);
    clock.set(aheadSeconds);
    await deployment.stopPostgres();
    await deployment.startPostgres({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clock.#file,
      FAKETIME_NO_CACHE: "1",
      // Step only the time of day; timers continue.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    });
    await deployment.untilDatabaseAnswers();
    deployment.onStop(() => rm(folder, { recursive: true, force: true }));
    return clock;
  }

  get #file(): string {
    return join(this.#folder, "offset");
  }

  /**
   * Takes effect at once in every process of Postgres. libfaketime's cache is off, so each process reads the
   * file whenever it reads the clock.
   */
  set(aheadSeconds: number): void {
    writeFileSync(`${this.#file}.new`, `+${aheadSeconds}\n`, { mode: 0o644 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}
