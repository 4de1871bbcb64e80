// The functions of @std/assert that the tests use, on node:assert. The registry that serves the published package
// cannot be reached from every build network, so this private workspace member has its name and its signatures.
// CONTRIBUTING.md says how to switch to the published package.
import assertion from "node:assert/strict";

export class AssertionError extends Error {
  override name = "AssertionError";
}

export function fail(msg = "Failed"): never {
  throw new AssertionError(msg);
}

/** Throws an AssertionError unless `expr` is truthy. */
export function assert(expr: unknown, msg = "Expected a truthy value"): asserts expr {
  if (!expr) fail(msg);
}

/** Deep, strict equality. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  assertion.deepStrictEqual(actual, expected, msg);
}

export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  assertion.notDeepStrictEqual(actual, expected, msg);
}

/** Compares by Object.is. */
export function assertStrictEquals<T>(actual: unknown, expected: T, msg?: string): asserts actual is T {
  assertion.strictEqual(actual, expected, msg);
}

export function assertExists<T>(actual: T, msg = "Expected a value"): asserts actual is NonNullable<T> {
  if (actual === null || actual === undefined) fail(msg);
}

export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) fail(msg ?? `Expected ${JSON.stringify(actual)} to match ${expected}`);
}

export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) {
    fail(msg ?? `Expected ${JSON.stringify(actual)} to include ${JSON.stringify(expected)}`);
  }
}

export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual >= expected)) fail(msg ?? `Expected ${actual} >= ${expected}`);
}

export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual <= expected)) fail(msg ?? `Expected ${actual} <= ${expected}`);
}

// deno-lint-ignore no-explicit-any -- the published signature
type Constructor<T> = abstract new (...args: any[]) => T;

// deno-lint-ignore no-explicit-any -- the published signature
export function assertInstanceOf<T extends Constructor<any>>(
  actual: unknown,
  expectedType: T,
  msg = "",
): asserts actual is InstanceType<T> {
  if (!(actual instanceof expectedType)) {
    fail(msg || `Expected an instance of ${expectedType.name}, got ${actual}`);
  }
}

function check<E extends Error>(error: unknown, type?: Constructor<E>, includes?: string): E {
  if (type) assertInstanceOf(error, type, `Expected ${type.name}, got ${error}`);
  if (includes !== undefined) {
    assertStringIncludes(error instanceof Error ? error.message : String(error), includes);
  }
  return error as E;
}

type TypeOrMsg<E> = Constructor<E> | string;
const typeOf = <E>(given?: TypeOrMsg<E>) => typeof given === "string" ? undefined : given;

export function assertThrows(fn: () => unknown, msg?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: Constructor<E>,
  msgIncludes?: string,
  msg?: string,
): E;
/**
 * Fails unless `fn` throws. If given, the error must be of class `ErrorClass` and its message must contain
 * `msgIncludes`. Returns the error.
 */
export function assertThrows<E extends Error>(
  fn: () => unknown,
  errorClassOrMsg?: TypeOrMsg<E>,
  msgIncludes?: string,
  msg = "Expected a throw",
): unknown {
  try {
    fn();
  } catch (error) {
    return check(error, typeOf(errorClassOrMsg), msgIncludes);
  }
  return fail(typeof errorClassOrMsg === "string" ? errorClassOrMsg : msg);
}

export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: Constructor<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
/**
 * Fails unless `fn` returns a promise that rejects. It also fails if `fn` throws instead of returning a
 * promise. If given, the error must be of class `ErrorClass` and its message must contain `msgIncludes`. Returns
 * the error.
 */
export async function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  errorClassOrMsg?: TypeOrMsg<E>,
  msgIncludes?: string,
  msg = "Expected a rejection",
): Promise<unknown> {
  let rejecting: PromiseLike<unknown>;
  try {
    rejecting = fn();
  } catch (error) {
    return fail(`Function throws when expected to reject: ${error}`);
  }
  try {
    await rejecting;
  } catch (error) {
    return check(error, typeOf(errorClassOrMsg), msgIncludes);
  }
  return fail(typeof errorClassOrMsg === "string" ? errorClassOrMsg : msg);
}
