import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { checkConnections, MOST_CONNECTIONS } from "./connections.ts";

const check = (...counts: readonly number[]) => {
  const left = [...counts];
  return checkConnections(() => Promise.resolve(left.length > 1 ? left.shift()! : left[0]!), 2, 50);
};
const most = 2 * MOST_CONNECTIONS;

describe("checkConnections()", () => {
  it("reports one connection too many, and a process that has none", async () => {
    for (const open of [most + 1, 1]) {
      assertEquals(await check(open), {
        what: `${open} open, at most ${most}`,
        violations: [`not between 2 and ${most}`],
      });
    }
  });

  it("waits until broken connections are closed", async () => {
    assertEquals((await check(most + 1, most)).violations, []);
  });
});
