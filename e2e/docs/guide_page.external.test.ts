import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { Reader } from "./page_fixture.ts";
import type { Shell } from "./shell_fixture.ts";

/**
 * The quickstart is followed up to this heading. The pages need its result: a running receiver and an
 * executed order.
 */
const QUICKSTART_END = "\n## 9. ";
const PAGES = [
  "webhooks.md",
  "signing.md",
  "idempotency.md",
  "partner_cli.md",
  "going_live.md",
  "sandbox.md",
  "rotation.md",
];

describe("a guide that continues from the quickstart", () => {
  let reader: Reader;
  let quickstart: Shell;

  before(async () => {
    reader = await Reader.arrive();
    quickstart = await reader.openShell();
    await reader.follow(quickstart, "quickstart.md", QUICKSTART_END);
  });
  after(() => reader?.leave());

  const paid: string[] = [];
  // Every page runs twice. The second time, the pages that followed it come before it.
  for (const page of [...PAGES, ...PAGES.toReversed()]) {
    it(`works as printed, with the output that it shows: ${page}`, async () => {
      const printed = await reader.follow(await reader.openShellAfter(quickstart), page);
      assert(printed.length > 0);
      paid.push(...printed.flatMap((text) => text.match(/withdrawal\.paid evt_\S+/g) ?? []));
    });
  }

  it("shows the event of the withdrawal that this run has simulated: sandbox.md", () => {
    assertEquals([paid.length, new Set(paid).size], [2, 2]);
  });
});
