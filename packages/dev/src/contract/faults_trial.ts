import { assert } from "@std/assert";

/** Goes on after a failure, so that one run tells all of them. */
export class Faults {
  readonly #found: string[] = [];

  async note(what: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#found.push(`${what}: ${(error as Error).message}`);
    }
  }

  expectNone(): void {
    const found = this.#found.splice(0);
    assert(found.length === 0, found.join("\n"));
  }
}
