import { assert } from "@std/assert";

export function assertStartsWith(actual: string, expected: string): void {
  assert(
    actual.startsWith(expected),
    `Expected ${JSON.stringify(actual)} to start with ${JSON.stringify(expected)}`,
  );
}
