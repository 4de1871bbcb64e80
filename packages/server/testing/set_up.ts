import { after, before } from "node:test";

/** Stops of the fixtures that run, in the order of their start. */
const running: (() => unknown)[] = [];

/**
 * Makes one fixture for a whole `describe`: starts it before the first test, and stops it after the last one.
 * Call it while the suite is declared. The result stands for the started fixture, so a test uses its members
 * directly. Reading a member before the start throws.
 *
 * Fixtures start in the order of their declaration and stop in the opposite order. So `start` may use a
 * fixture that was declared earlier. Without `stop`, the fixture's own stop() ends it.
 */
export function setUp<T extends { stop(): unknown }>(start: () => Promise<T>): T;
export function setUp<T extends object>(start: () => Promise<T>, stop: (fixture: T) => unknown): T;
export function setUp<T extends object>(
  start: () => Promise<T>,
  stop: (fixture: T) => unknown = (fixture) => (fixture as unknown as { stop(): unknown }).stop(),
): T {
  let fixture: T | undefined;
  before(async () => {
    const started = fixture = await start();
    running.push(() => stop(started));
  });
  // Each hook stops the newest fixture, because the hooks themselves run in the order of their declaration. The hook
  // of a fixture that did not start must not stop one of another suite.
  after(async () => {
    if (fixture) await running.pop()!();
  });
  return new Proxy({} as T, {
    get(_, name) {
      if (!fixture) throw new Error(`The fixture is not started yet; read ${String(name)} inside a test.`);
      const member = Reflect.get(fixture, name);
      // A method of a class needs the fixture itself for its private members.
      return typeof member === "function" && !Object.hasOwn(fixture, name) ? member.bind(fixture) : member;
    },
  });
}
