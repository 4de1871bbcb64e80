import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@gold-partner/dev/postgres";
import { start } from "@gold-partner/dev";
import { Outside, type Project } from "./outside_fixture.ts";

/** Returns a program that buys 1.5 g and prints the order. All runs are of one partner. */
const program = (credentials: string): string => `
import { GoldClient } from "@gold-partner/client";

const client = await GoldClient.fromCredentials(${JSON.stringify(credentials)});
await client.fundSandbox({ amount_sar: "5000" });
const quote = await client.createQuote({ side: "buy", gold_grams: "1.5" });
const order = await client.placeOrder(quote);
const quotes = [];
for await (const { quote_id } of client.listOrders({ limit: 1 })) quotes.push(quote_id);
console.log(order.status, quotes.indexOf(quote.quote_id), quotes.length, \`\${order.balances.gold.grams} g\`);
client.close();
`;

export interface Trade {
  /** The program, in JavaScript that is TypeScript, too. */
  readonly text: string;
  /** The path of the partner's credentials. */
  readonly credentials: string;
  /** A folder that has only the client's tarball and the program, as order.mjs and order.ts. */
  readonly project: Project;
  readonly outside: Outside;
  close(): Promise<void>;
}

/** Starts a service, and installs the client outside the repository. */
export async function openTrade(): Promise<Trade> {
  const folder = await mkdtemp(join(tmpdir(), "gold-order-"));
  const running = await start({
    port: await findFreePort(),
    stateDir: join(folder, "state"),
    reset: false,
    demo: false,
    report: () => {},
  });
  let outside: Outside | undefined;
  const close = async (): Promise<void> => {
    await outside?.close();
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    outside = await Outside.open();
    const credentials = running.state.path("partners", running.credentials.client_id, "credentials.json");
    const text = program(credentials);
    const project = await outside.clientProject();
    for (const file of ["order.mjs", "order.ts"]) await project.write(file, text);
    return { text, credentials, project, outside, close };
  } catch (error) {
    await close();
    throw error;
  }
}
