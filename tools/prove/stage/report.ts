/** The result of one check. */
export interface Finding {
  readonly what: string;
  readonly violations: readonly string[];
}

/** The violations of a check that are printed. One fault can cause thousands. */
const SHOWN = 10;

/** Prints every check and its violations as they happen. */
export class Report {
  #tried = 0;
  #violations = 0;

  tried(name: string, { what, violations }: Finding): void {
    this.#tried++;
    this.#violations += violations.length;
    console.log(`${violations.length === 0 ? "✔" : "✘"} ${name}: ${what}`);
    for (const violation of violations.slice(0, SHOWN)) console.log(`    ${violation}`);
    if (violations.length > SHOWN) console.log(`    and ${violations.length - SHOWN} more`);
  }

  /** Prints the closing line. Returns true if there was no violation. */
  close(what: string): boolean {
    console.log(
      this.#violations === 0
        ? `${what}: ${this.#tried} tried, no violation.`
        : `${what}: ${this.#tried} tried, ${this.#violations} violation(s).`,
    );
    return this.#violations === 0;
  }
}
