import { readFileSync } from "node:fs";
import type { Finding } from "./report.ts";

/** Without a leak, memory varies by less than this factor. With a leak, it grows by much more. */
const GROWTH_MAX = 1.25;

export function residentMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1024);
}

/**
 * Compares the peak of the last quarter of the samples with the peak of the second quarter. For a short run,
 * growth is reported but is not a violation.
 */
export function checkMemory(samples: readonly number[], short: boolean): Finding {
  const quarter = Math.ceil(samples.length / 4);
  const [warm, last] = [
    Math.max(...samples.slice(quarter, 2 * quarter)),
    Math.max(...samples.slice(-quarter)),
  ];
  const grew = !short && last > warm * GROWTH_MAX;
  return {
    what: `${warm} MiB in the second quarter, ${last} MiB in the last${
      short ? " (the run is too short to judge growth)" : ""
    }`,
    violations: grew ? [`memory grew from ${warm} to ${last} MiB`] : [],
  };
}
