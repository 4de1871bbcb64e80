import { PROBLEM_REGISTRY } from "@gold-partner/protocol";
import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";

/** The booking functions read titles and statuses of refusals from this table. Each migration fills it. */
export function checkProblems(findings: Findings, rows: readonly Row[]): void {
  const left = new Set(Object.keys(PROBLEM_REGISTRY));
  for (const { code, status, title, retryable } of rows) {
    const entry = Object.hasOwn(PROBLEM_REGISTRY, code)
      ? PROBLEM_REGISTRY[code as keyof typeof PROBLEM_REGISTRY]
      : undefined;
    left.delete(code);
    const expected = entry && [entry.status, entry.title, entry.retryable].join(" ");
    findings.expect("problem_is_release", `problem ${code}`, expected, [status, title, retryable].join(" "));
  }
  for (const code of left) findings.add("problem_is_release", `problem ${code}`, "a row", "nothing");
}
