import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { VectorFile } from "./make/vector_file.ts";
import { makeVectors, VECTORS_FOLDER } from "./vectors.ts";

const committed = readdirSync(VECTORS_FOLDER).filter((file) => file.endsWith(".json")).sort();
const made = await makeVectors();

describe("the test vectors", () => {
  it("have one maker for each file, and one file for each maker", () => {
    assertEquals(committed, [...made.keys()], "run: npm run vectors");
    assert(committed.length > 0);
  });

  it("equal the current output of their makers", () => {
    for (const [file, text] of made) {
      assert(
        readFileSync(join(VECTORS_FOLDER, file), "utf8") === text,
        `${file} is out of date; run: npm run vectors`,
      );
    }
  });

  it("have a description, an origin and unique case names in each file", () => {
    for (const [file, text] of made) {
      const { description, origin, cases } = JSON.parse(text) as VectorFile;
      assert(description.length > 20 && origin.length > 20, `${file} has too short a description or origin`);
      assert(cases.length > 0, `${file} has no case`);
      const names = cases.map(({ name }) => name);
      assert(
        names.every((name) => typeof name === "string" && name !== ""),
        `${file} has a case without a name`,
      );
      assertEquals(new Set(names).size, names.length, `${file} has two cases with the same name`);
    }
  });

  it("are the same bytes when generated twice", async () => {
    assertEquals(await makeVectors(), made);
  });

  it("are all mentioned in the README", () => {
    const readme = readFileSync(join(VECTORS_FOLDER, "README.md"), "utf8");
    for (const file of made.keys()) {
      assert(readme.includes(`\`${file}\``), `README.md does not mention ${file}`);
    }
  });
});
