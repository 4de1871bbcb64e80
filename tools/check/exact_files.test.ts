import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { ROOT } from "../test/tier.ts";
import { EXACT, NO_QUANTITY } from "./exact_files.ts";
import { listFiles } from "./tree.ts";

describe("the files without doubles", () => {
  it("are there, so that one that moves does not leave the check unseen", () => {
    const paths = listFiles(ROOT);
    assertEquals(EXACT.filter((pattern) => !paths.some((path) => pattern.test(path))), []);
    assertEquals(Object.keys(NO_QUANTITY).filter((path) => !paths.includes(path)), []);
  });
});
