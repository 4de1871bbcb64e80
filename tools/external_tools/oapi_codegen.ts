import { fileURLToPath } from "node:url";
import { runGo } from "./go_module.ts";
import { goProgram } from "./go_program.ts";
import type { Tool } from "./tool.ts";

const generator = goProgram("oapi-codegen", {
  path: "github.com/oapi-codegen/oapi-codegen/v2",
  version: "v2.8.2",
  sum: "h1:68UGCFId8tysEuz1jqDgem0Lnz0d6T+73br+KwH/W6k=",
}, "/cmd/oapi-codegen");

/** The generator of clients for Go, and the libraries that a generated client needs, in Go's cache. */
export const oapiCodegen: Tool = {
  ...generator,
  install(folder) {
    runGo(fileURLToPath(new URL("../../e2e/client/generated_go/", import.meta.url)), ["mod", "download"]);
    generator.install(folder);
  },
};
