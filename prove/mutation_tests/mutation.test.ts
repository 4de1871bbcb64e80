import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { applyMutation } from "./mutation.ts";
import { MUTATIONS } from "./mod.ts";

const pathOf = (file: string): string =>
  fileURLToPath(new URL(`../../packages/server/${file}`, import.meta.url));

const BROKEN_BOUND = { name: "bound", file: "a.sql", tests: [], from: "a < b", to: "a <= b $& $1" };

describe("applyMutation()", () => {
  it("replaces the text literally, without interpreting replacement patterns", () => {
    assertEquals(applyMutation(BROKEN_BOUND, "if a < b then"), "if a <= b $& $1 then");
  });

  it("throws if the text does not occur or occurs twice", () => {
    assertThrows(() => applyMutation(BROKEN_BOUND, "if a > b then"), Error, "0 times in a.sql");
    assertThrows(() => applyMutation(BROKEN_BOUND, "a < b and a < b"), Error, "2 times in a.sql");
  });
});

describe("the mutation tests", () => {
  it("apply to the current sources, change them, and name tests that exist", () => {
    for (const defect of MUTATIONS) {
      const source = readFileSync(pathOf(defect.file), "utf8");
      assert(applyMutation(defect, source) !== source, defect.name);
      assert(defect.tests.length > 0 && defect.tests.every((file) => existsSync(pathOf(file))), defect.name);
    }
  });

  it("have unique names, and at least 25 belong to the short run", () => {
    assertEquals(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length);
    assert(MUTATIONS.filter(({ short }) => short).length >= 25);
  });
});
