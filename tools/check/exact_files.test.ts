import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { ROOT } from "../test/tier.ts";
import { EXACT, NO_QUANTITY } from "./exact_files.ts";
import { listFiles } from "./tree.ts";

describe("EXACT and NO_QUANTITY", () => {
  it("match existing files, so that a moved file does not silently leave the check", () => {
    const paths = listFiles(ROOT);
    assertEquals(EXACT.filter((pattern) => !paths.some((path) => pattern.test(path))), []);
    assertEquals(Object.keys(NO_QUANTITY).filter((path) => !paths.includes(path)), []);
  });
});
