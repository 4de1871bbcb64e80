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
  /** What the script reads by `-e`. */
  readonly settings: Readonly<Record<string, string>>;
  /** k6's own report of this process, as a page. */
  readonly dashboard: string;
}

export interface K6Process {
  /** Once all its samples were taken. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
  /** It goes on to the scenario's end: what is under way ends, and the books are looked at. */
  end(): void;
}

/** One that is on the PATH, or else the one that `npm run parts` fetches. */
export function findK6(root: string, path: string = process.env["PATH"] ?? ""): string | undefined {
  return [...path.split(delimiter), join(root, ".tools", "bin")].filter((folder) => folder !== "")
    .map((folder) => join(folder, "k6")).find(existsSync);
}

/** The tags of k6's own that a threshold or a report asks for; all of them would be most of each sample. */
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
      // -1: the page is written, but not served while it runs, or two processes want one port.
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
