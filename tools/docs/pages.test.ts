import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assert } from "@std/assert";
import { PAGES } from "./pages.ts";

describe("npm run docs", () => {
  for (const [path, write] of Object.entries(PAGES)) {
    it(`has nothing to change in ${path}`, () => {
      const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
      assert(write(text) === text, `${path} is out of date; run: npm run docs`);
    });
  }
});
