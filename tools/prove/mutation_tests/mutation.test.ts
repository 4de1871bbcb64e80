import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { applyMutation, readMutations } from "./mutation.ts";

const SERVER = new URL("../../../packages/server/", import.meta.url);

describe("the mutation tests", () => {
  it("change text that occurs once in its source, and name tests that exist", () => {
    const mutations = readMutations();
    assert(mutations.length > 0);
    for (const mutation of mutations) {
      const source = readFileSync(new URL(mutation.file, SERVER), "utf8");
      assert(applyMutation(mutation, source) !== source, mutation.name);
      assertEquals(mutation.tests.filter((file) => !existsSync(new URL(file, SERVER))), [], mutation.name);
    }
  });
});
