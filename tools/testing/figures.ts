import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A metric that an expression queries, with the labels that the expression matches with `=`. */
export interface Figure {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Metrics that `gold backup check --metrics` and `gold audit full --metrics` write, and no process. */
export const WRITTEN_BY_JOBS: readonly string[] = [
  "gold_base_backup_ended_seconds",
  "gold_audit_ended_seconds",
  "gold_audit_defects",
];

interface Panel {
  readonly datasource: { readonly uid: string };
  readonly targets: readonly { readonly expr: string }[];
}

export const dashboardPanels = (file: string): Panel[] =>
  (JSON.parse(readFileSync(file, "utf8")) as { panels: Panel[] }).panels;

export const expressionsOf = (panels: readonly Panel[]): string[] =>
  panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/**
 * Returns the metrics that the alerts file and the expressions query, or the error text of Prometheus'
 * parser.
 */
export function figuresAsked(
  root: string,
  alarms: string,
  expressions: readonly string[],
): Figure[] | string {
  const program = join(root, ".tools/bin/prometheus_rules");
  const { status, stdout, stderr, error } = spawnSync(program, [alarms, ...expressions], {
    encoding: "utf8",
    timeout: 120_000,
  });
  if (error) {
    throw new Error(
      `prometheus_rules does not run: ${error.message}. Run: node tools/run.mjs tools prometheus_rules`,
    );
  }
  return status === 0 ? JSON.parse(stdout) as Figure[] : stderr;
}

/** Returns true if a page of metrics contains a series of this metric with these labels. */
export function isShown({ name, labels }: Figure, page: string): boolean {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return page.split("\n").some((line) =>
    /^\w+/.exec(line)?.[0] === name && wanted.every((label) => line.includes(label))
  );
}
