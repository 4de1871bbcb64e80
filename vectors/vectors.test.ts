import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { VectorFile } from "./make/vector_file.ts";
import { makeVectors, VECTORS_FOLDER } from "./vectors.ts";

const committed = readdirSync(VECTORS_FOLDER).filter((file) => file.endsWith(".json")).sort();
const made = await makeVectors();

describe("the test vectors", () => {
  it("each file has its maker, and each maker its file", () => {
    assertEquals(committed, [...made.keys()], "run: npm run vectors");
    assert(committed.length > 0);
  });

  it("each committed file is what its maker makes today", () => {
    for (const [file, text] of made) {
      assert(
        readFileSync(join(VECTORS_FOLDER, file), "utf8") === text,
        `${file} is not current; run: npm run vectors`,
      );
    }
  });

  it("each file says what it is, where it comes from, and names each of its cases once", () => {
    for (const [file, text] of made) {
      const { description, origin, cases } = JSON.parse(text) as VectorFile;
      assert(description.length > 20 && origin.length > 20, `${file} does not explain itself`);
      assert(cases.length > 0, `${file} has no case`);
      const names = cases.map(({ name }) => name);
      assert(
        names.every((name) => typeof name === "string" && name !== ""),
        `${file} has a case without a name`,
      );
      assertEquals(new Set(names).size, names.length, `${file} names two cases alike`);
    }
  });

  it("making twice gives the same bytes", async () => {
    assertEquals(await makeVectors(), made);
  });

  it("the README speaks of each file", () => {
    const readme = readFileSync(join(VECTORS_FOLDER, "README.md"), "utf8");
    for (const file of made.keys()) {
      assert(readme.includes(`\`${file}\``), `README.md does not mention ${file}`);
    }
  });
});
