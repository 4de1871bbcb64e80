import { assert } from "@std/assert";
/** Continues after a failure, so that one run reports all failures. */
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
