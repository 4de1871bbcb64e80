import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findFreePort } from "@gold-partner/local-postgres";
import { type Running, start } from "@gold-partner/dev";
import { assertEquals } from "@std/assert";
import { Outside } from "./outside_fixture.ts";

/** Returns a program that buys 1.5 g and prints what the partner then has. Both tests use one partner. */
const program = (credentials: string): string => `
import { GoldClient } from "@gold-partner/client";

const client = await GoldClient.fromCredentials(${JSON.stringify(credentials)});
await client.fundSandbox({ amount_sar: "5000" });
const quote = await client.createQuote({ side: "buy", gold_grams: "1.5" });
const order = await client.placeOrder({ quote_id: quote.quote_id });
const quotes = [];
for await (const { quote_id } of client.listOrders()) quotes.push(quote_id);
console.log(order.status, quotes.indexOf(quote.quote_id), quotes.length, \`\${order.balances.gold.grams} g\`);
client.close();
`;

describe("the client and the command line, installed from their tarballs", () => {
  let folder: string;
  let running: Running;
  let outside: Outside;
  let text: string;
  let credentials: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-order-"));
    const options = {
      port: await findFreePort(),
      stateDir: join(folder, "state"),
      reset: false,
      demo: false,
    };
    running = await start({ ...options, tell: () => {} });
    const { client_id } = running.credentials;
    credentials = running.state.path("partners", client_id, "credentials.json");
    text = program(credentials);
    outside = await Outside.open();
  });
  after(async () => {
    await outside?.close();
    await running?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("places an order in an empty Node project, without a loader", async () => {
    const project = await outside.nodeProject("@gold-partner/client");
    await project.write("order.mjs", text);
    assertEquals(await project.node("order.mjs"), "executed 0 1 1.5 g\n");
  });

  it("places an order in an empty Deno project", async () => {
    const project = await outside.denoProject("npm:@gold-partner/client");
    await project.write("order.ts", text);
    assertEquals(await project.deno("run", "--check", "-A", "order.ts"), "executed 0 2 3 g\n");
  });

  it("run gold-partner in empty projects that have no other package of this repository", async () => {
    const node = await outside.nodeProject("@gold-partner/cli");
    assertEquals((await readdir(join(node.folder, "node_modules", "@gold-partner"))).join(), "cli");
    const asked = ["balances", "--json", "--credentials", credentials];
    const { gold } = JSON.parse(await node.node("node_modules/.bin/gold-partner", ...asked));
    assertEquals(gold, { grams: 3 });
    const deno = await outside.denoProject("npm:@gold-partner/cli");
    const same = JSON.parse(await deno.deno("run", "-A", "npm:@gold-partner/cli/gold-partner", ...asked));
    assertEquals(same.gold, { grams: 3 });
  });
});
