import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { Failure } from "./failure.ts";
import { wholeId } from "./whole_id.ts";

const IDS = ["wd_019c1364-6eb8-7020-90c0-f0601000cb9f", "wd_019c1364-6eb8-7020-90c0-f0601111cb9f"] as const;

describe("wholeId()", () => {
  const find = (text: string) => wholeId(text, "wd_", () => Promise.resolve(IDS));

  it("completes a unique end, with and without prefix and ellipsis", async () => {
    for (const text of ["wd_…1000cb9f", "…1000cb9f", "1000cb9f", "wd_1000cb9f", "01000cb9f"]) {
      assertEquals(await find(text), IDS[0], text);
    }
  });

  it("leaves a whole id and any other text to the service, without a list", async () => {
    const other = "wd_019c1364-6eb8-7020-90c0-000000000000";
    assertEquals([await find(IDS[0]), await find(other), await find(other.slice(3))], [IDS[0], other, other]);
    assertEquals([await find("wd_x"), await find("cb9"), await find("chg_…1000cb9f")], [
      ...["wd_x", "cb9", "chg_…1000cb9f"],
    ]);
  });

  it("refuses an end of several ids, and of none", async () => {
    await assertRejects(() => find("wd_…cb9f"), Failure, "2 ids end with cb9f");
    await assertRejects(() => find("wd_…1234"), Failure, "none of your newest 2 ids ends with 1234");
  });
});
