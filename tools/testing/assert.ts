// Assertions for the tests of both runtimes, on node:assert.
import assertion from "node:assert/strict";

export class AssertionError extends Error {
  override name = "AssertionError";
}

export function fail(message = "Failed"): never {
  throw new AssertionError(message);
}

/** Throws an AssertionError unless `expr` is truthy. */
export function assert(expr: unknown, message = "Expected a truthy value"): asserts expr {
  if (!expr) fail(message);
}

/** Deep, strict equality. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  assertion.deepStrictEqual(actual, expected, message);
}

export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  assertion.notDeepStrictEqual(actual, expected, message);
}

/** Compares by Object.is. */
export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  assertion.strictEqual(actual, expected, message);
}

export function assertExists<T>(actual: T, message = "Expected a value"): asserts actual is NonNullable<T> {
  if (actual === null || actual === undefined) fail(message);
}

export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  if (!expected.test(actual)) fail(message ?? `Expected ${JSON.stringify(actual)} to match ${expected}`);
}

export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  if (!actual.includes(expected)) {
    fail(message ?? `Expected ${JSON.stringify(actual)} to include ${JSON.stringify(expected)}`);
  }
}

export function assertStartsWith(actual: string, expected: string, message?: string): void {
  if (!actual.startsWith(expected)) {
    fail(message ?? `Expected ${JSON.stringify(actual)} to start with ${JSON.stringify(expected)}`);
  }
}

export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void {
  if (!(actual >= expected)) fail(message ?? `Expected ${actual} >= ${expected}`);
}

export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void {
  if (!(actual <= expected)) fail(message ?? `Expected ${actual} <= ${expected}`);
}

// deno-lint-ignore no-explicit-any -- the public package's own signature
export type ErrorClass<E extends Error> = new (...args: any[]) => E;

export function assertInstanceOf<T extends Error>(
  actual: unknown,
  expected: ErrorClass<T>,
  message?: string,
): asserts actual is T {
  if (!(actual instanceof expected)) {
    fail(message ?? `Expected an instance of ${expected.name}, got ${actual}`);
  }
}

function check<E extends Error>(error: unknown, type?: ErrorClass<E>, includes?: string): E {
  if (type) assertInstanceOf(error, type, `Expected ${type.name}, got ${error}`);
  if (includes !== undefined) {
    assertStringIncludes(error instanceof Error ? error.message : String(error), includes);
  }
  return error as E;
}

/**
 * Fails unless `fn` throws. If given, the error must be of class `type` and its message must contain
 * `includes`. Returns the error.
 */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  type?: ErrorClass<E>,
  includes?: string,
): E {
  try {
    fn();
  } catch (error) {
    return check(error, type, includes);
  }
  return fail("Expected a throw");
}

/**
 * Fails unless `fn` returns a promise that rejects. It also fails if `fn` throws instead of returning a
 * promise. If given, the error must be of class `type` and its message must contain `includes`. Returns the
 * error.
 */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  type?: ErrorClass<E>,
  includes?: string,
): Promise<E> {
  let rejecting: PromiseLike<unknown>;
  try {
    rejecting = fn();
  } catch (error) {
    return fail(`Function throws when expected to reject: ${error}`);
  }
  try {
    await rejecting;
  } catch (error) {
    return check(error, type, includes);
  }
  return fail("Expected a rejection");
}
