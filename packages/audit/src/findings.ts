import type { Rule } from "./rules.ts";

/** One difference between the value that a rule expects and the value in the database. */
export interface Finding {
  readonly rule: Rule;
  /** The row or object, such as `orders 7 0190…`. */
  readonly row: string;
  readonly expected: string;
  readonly found: string;
}

/** Keeps this many findings of each rule. The others are only counted, so that memory stays bounded. */
const KEPT_PER_RULE = 100;
const MAX_TEXT = 300;

/**
 * A finding that the operator allows, such as one about monitoring. `row`, and `found` if it is given, are those
 * of the findings; `*` stands for any text without ` of `.
 */
export interface Allowed {
  readonly rule: Rule;
  readonly row: string;
  readonly found?: string;
  readonly reason: string;
}

/** The rules whose findings the operator can allow: about the server and its catalog, never about rows. */
export const ALLOWABLE: readonly Rule[] = [
  "catalog_is_release",
  "builtin_is_postgres",
  "role_is_expected",
  "setting_is_safe",
  "login_is_admitted",
];

export class Findings {
  readonly #allowed: readonly Allowed[];
  readonly #used = new Set<Allowed>();
  /** How many findings were allowed. */
  allowed = 0;

  constructor(allowed: readonly Allowed[] = []) {
    this.#allowed = allowed;
  }

  readonly kept: Finding[] = [];
  readonly counts = new Map<Rule, number>();
  /** What can disturb the service, but neither changes nor hides a row. */
  readonly warnings: Finding[] = [];
  /** What the login of the audit may not read, with what it needs. */
  readonly skipped: { readonly name: string; readonly reason: string }[] = [];

  add(rule: Rule, row: string, expected: unknown, found: unknown): void {
    if (this.#isAllowed(rule, row, wholeTextOf(found))) return;
    const count = (this.counts.get(rule) ?? 0) + 1;
    this.counts.set(rule, count);
    if (count <= KEPT_PER_RULE) {
      this.kept.push({ rule, row, expected: textOf(expected), found: textOf(found) });
    }
  }

  #isAllowed(rule: Rule, row: string, found: string): boolean {
    const entry = this.#allowed.find((each) =>
      each.rule === rule && matches(each.row, row) && (each.found === undefined || matches(each.found, found))
    );
    if (!entry) return false;
    this.allowed++;
    this.#used.add(entry);
    return true;
  }

  /** Warns about each entry that allowed nothing, because an attacker could use it later. */
  warnUnused(): void {
    for (const entry of this.#allowed) {
      if (!this.#used.has(entry)) {
        const expected = "a finding or warning that this entry allows";
        this.warnings.push({ rule: entry.rule, row: `allowed ${entry.row}`, expected, found: "none" });
      }
    }
  }

  warn(rule: Rule, row: string, expected: string, found: string): void {
    if (!this.#isAllowed(rule, row, found)) this.warnings.push({ rule, row, expected, found });
  }

  skip(name: string, reason: string): void {
    this.skipped.push({ name, reason });
  }

  /**
   * Adds a finding unless the two values are equal. `undefined` and null both mean that there is no value.
   */
  expect(rule: Rule, row: string, expected: unknown, found: unknown): void {
    if (expected !== found && wholeTextOf(expected) !== wholeTextOf(found)) {
      this.add(rule, row, expected, found);
    }
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Adds the findings of an earlier part of the audit. */
  addAll(kept: readonly Finding[], counts: Readonly<Record<string, number>>): void {
    this.kept.push(...kept);
    for (const [rule, count] of Object.entries(counts)) {
      this.counts.set(rule as Rule, (this.counts.get(rule as Rule) ?? 0) + count);
    }
  }
}

function wholeTextOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** For reports only: two long texts can be the same here. */
function textOf(value: unknown): string {
  const text = wholeTextOf(value);
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(?:(?! of )[^])*")}$`).test(text);
}
