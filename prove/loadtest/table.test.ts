import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert } from "@std/assert";
import { applyMutation } from "../mutation_tests/mutation.ts";
import { LOAD_MUTATIONS, SCENARIOS } from "./table.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe("the mutation tests of the load tests", () => {
  it("apply to the current sources, and name scenarios that exist", () => {
    for (const { name, file, from, to, scenario } of LOAD_MUTATIONS) {
      const source = readFileSync(pathOf(`packages/server/${file}`), "utf8");
      assert(applyMutation({ name, file, from, to, tests: [] }, source) !== source, name);
      assert(SCENARIOS.includes(scenario), scenario);
    }
    for (const scenario of SCENARIOS) assert(existsSync(pathOf(`loadtest/${scenario}.ts`)), scenario);
  });
});
