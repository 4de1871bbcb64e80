import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { openTrade, type Trade } from "./order_fixture.ts";

describe("the client, installed alone from its tarball in an empty folder", () => {
  let trade: Trade;
  before(async () => void (trade = await openTrade()));
  after(() => trade?.close());

  it("places an order on Node, without a loader", async () => {
    assertEquals(await trade.project.node("order.mjs"), "executed 0 1 1.5 g\n");
  });

  it("passes the type check and places an order on Deno", async () => {
    assertEquals(await trade.project.deno("run", "--check", "-A", "order.ts"), "executed 0 2 3 g\n");
  });

  it("places an order on Deno, installed with deno add", async () => {
    const project = await trade.outside.denoProject("npm:@gold-partner/client");
    await project.write("order.ts", trade.text);
    assertEquals(await project.deno("run", "--check", "-A", "order.ts"), "executed 0 3 4.5 g\n");
  });

  it("is not needed by gold-partner, which runs in projects that have no other package of this repository", async () => {
    const argv = ["balances", "--json", "--credentials", trade.credentials];
    const node = await trade.outside.nodeProject("@gold-partner/cli");
    assertEquals(await readdir(join(node.folder, "node_modules", "@gold-partner")), ["cli"]);
    const { gold } = JSON.parse(await node.node("node_modules/.bin/gold-partner", ...argv));
    const reserves = { reserves_list_id: "lst_2", fine_grams: 12440.1558, share: "0.000361731804" };
    assertEquals(gold, { grams: 4.5, reserves });
    const deno = await trade.outside.denoProject("npm:@gold-partner/cli");
    const same = JSON.parse(await deno.deno("run", "-A", "npm:@gold-partner/cli/gold-partner", ...argv));
    assertEquals(same.gold, gold);
  });
});
