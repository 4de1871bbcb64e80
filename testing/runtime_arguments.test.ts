import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertStringIncludes } from "@std/assert";
import { runtimeArguments } from "./runtime_arguments.ts";

describe("runtimeArguments()", () => {
  it("sets the size of the young generation that tasks and the image set", () => {
    const [option] = runtimeArguments("main.ts").join(" ").match(/--max-semi-space-size=\d+/)!;
    for (const file of ["../tools/run.mjs", "../Dockerfile"]) {
      assertStringIncludes(readFileSync(new URL(file, import.meta.url), "utf8"), option);
    }
  });
});
