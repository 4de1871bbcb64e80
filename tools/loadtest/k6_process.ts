import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type Sample, sampleReader } from "./sample.ts";

interface K6Plan {
  readonly program: string;
  /** The scenario's file. */
  readonly script: string;
  /** Settings that the script reads, passed by `-e`. */
  readonly settings: Readonly<Record<string, string>>;
  /** The path for k6's own report of this process, an HTML page. */
  readonly dashboard: string;
}

export interface K6Process {
  /** Resolves when the process has ended and all its samples were read. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
  /**
   * Ends the load early. k6 still finishes the iterations in flight, and the script still checks the books.
   */
  end(): void;
}

/** Returns the k6 on PATH, otherwise the one that `npm run tools` installs; undefined if there is neither. */
export function findK6(root: string): string | undefined {
  return [...(process.env["PATH"] ?? "").split(delimiter), join(root, ".tools", "bin")].filter((folder) =>
    folder !== ""
  )
    .map((folder) => join(folder, "k6")).find(existsSync);
}

/**
 * The tags of k6 that a threshold or a report needs. Other tags are left out, because all tags together would
 * be most of each sample.
 */
const SYSTEM_TAGS = "status,check,scenario";
const SAID_MAX = 100_000;

export function startK6(
  { program, script, settings, dashboard }: K6Plan,
  take: (sample: Sample) => void,
): K6Process {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(program, [
    ...["run", "--quiet", "--no-thresholds", "--summary-mode=disabled", "--address="],
    ...["--out=csv=-", "--out=web-dashboard", `--system-tags=${SYSTEM_TAGS}`],
    ...Object.entries(settings).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    script,
  ], {
    env: {
      ...process.env,
      K6_CSV_TIME_FORMAT: "unix_milli",
      // With -1, k6 writes the page but does not serve it during the run. Otherwise two processes would need
      // the same port.
      K6_WEB_DASHBOARD_PORT: "-1",
      K6_WEB_DASHBOARD_PERIOD: "1s",
      K6_WEB_DASHBOARD_EXPORT: dashboard,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => said = (said + text).slice(-SAID_MAX));
  let read: ((line: string) => Sample) | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (read) take(read(line));
    else read = sampleReader(line);
  });
  return {
    ended: once(child, "close").then(([code]) => ({ code: code as number | null, said })),
    end: () => void child.kill("SIGINT"),
  };
}
