import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { KeptIds } from "./kept_ids.ts";

describe("KeptIds", () => {
  let folder: string;
  before(async () => folder = await mkdtemp(join(tmpdir(), "gold-test-")));
  after(() => rm(folder, { recursive: true }));

  it("returns all added ids in order, with their repetitions", () => {
    const kept = new KeptIds(join(folder, "many"));
    const told = Array.from({ length: 2500 }, (_, n) => `ord_${n % 2000}`);
    for (const [at, id] of told.entries()) {
      kept.add(id);
      // A read in between must not lose later ids.
      if (at === 1700) kept.read();
    }
    assertEquals(kept.read(), told);
    assertEquals(kept.count, 2500);
  });
  it("starts empty even if an earlier run left its file", () => {
    const file = join(folder, "again");
    const earlier = new KeptIds(file);
    earlier.add("ord_1");
    earlier.read();
    const kept = new KeptIds(file);
    assertEquals([kept.read(), kept.count], [[], 0]);
  });
});
