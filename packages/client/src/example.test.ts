import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { exampleArguments } from "../../../tools/testing/example_program.ts";
import { deliveryOf, describedEvents, secretOf } from "./delivery_fixture.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The files that show how verifyWebhook() is used. */
const PAGES = ["packages/client/src/webhook.ts", "packages/client/README.md", "docs/webhooks.md"];
const [OLD, NEW, FOREIGN] = [secretOf(1), secretOf(2), secretOf(3)];

/**
 * A program that reads deliveries from its standard input and passes each to the example. Its last line of
 * output is the list of the replies' statuses.
 */
const CALLER = `
import { text } from "node:stream/consumers";
import { receive } from "./example.mts";
const statuses = [];
for (const sent of JSON.parse(await text(process.stdin))) {
  const { status } = await receive(new Request("https://localhost/webhooks", { method: "POST", ...sent }));
  statuses.push(status);
}
console.log(JSON.stringify(statuses));
`;

/**
 * The TypeScript blocks about webhooks in a page or in a source's comments. The other blocks need the whole
 * service.
 */
function codeBlocks(text: string): string[] {
  const blocks = [...text.matchAll(/^( \* )?```ts\n([\s\S]*?)^\1?```$/gm)].map(([, star = "", code]) =>
    code!.split("\n").map((line) => line.slice(star.length)).join("\n")
  );
  return blocks.filter((block) => block.includes("verifyWebhook("));
}

/** Runs an example and returns the statuses of its replies. */
async function answers(example: string, deliveries: unknown): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), "client-example-"));
  try {
    const [program, module] = ["caller.mts", "example.mts"].map((name) => join(folder, name)) as [
      string,
      string,
    ];
    writeFileSync(module, example);
    writeFileSync(program, CALLER);
    const { stdout, stderr } = spawnSync(process.execPath, await exampleArguments(program, module), {
      env: { ...process.env, WEBHOOK_SECRETS: `${OLD} ${NEW}`, CLIENT_ID: "sbx_own" },
      input: JSON.stringify(deliveries),
      encoding: "utf8",
      timeout: 60_000,
    });
    const last = stdout.trimEnd().split("\n").at(-1);
    if (!last) throw new Error(`The example printed no result.\n${stderr}`);
    return JSON.parse(last) as number[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the examples that show verifyWebhook()", () => {
  it("accept deliveries that either secret signed, and reject foreign, changed and misdirected ones", async () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const events = describedEvents().map((event) => ({ ...event, client_id: "sbx_own" }));
    const to = (client_id: string | undefined) =>
      events.map((event) => deliveryOf({ ...event, client_id }, [OLD], { timestamp }));
    const [older, newer, foreign] = [OLD, NEW, FOREIGN].map((secret) =>
      events.map((event) => deliveryOf(event, [secret], { timestamp }))
    );
    const tampered = older!.map(({ body, headers }) => ({ headers, body: body.replace("_", "-") }));
    const expected = [204, 204, 400, 400, 400, 204].flatMap((status) => events.map(() => status));
    for (const page of PAGES) {
      const blocks = codeBlocks(readFileSync(join(ROOT, page), "utf8"));
      assertEquals(blocks.length, 1, page);
      const sent = [older, newer, foreign, tampered, to("sbx_other"), to(undefined)].flat();
      assertEquals(await answers(blocks[0]!, sent), expected, page);
    }
  });
});
