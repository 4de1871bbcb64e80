import { join } from "node:path";
import { downloadModule, type GoModule, runGo } from "./go_module.ts";
import { stampedPart } from "./part.ts";

const MODULE: GoModule = {
  path: "go.k6.io/k6",
  version: "v1.8.1",
  sum: "h1:orZsbZ2Od0CVZICs9YpTgkKcxfPghJW8VZtwg0cj8H8=",
};

/** The load generator; its own go.sum pins what it is built from. A first build takes about 90 s. */
export const k6 = stampedPart({
  name: "k6",
  version: MODULE.version,
  install(folder) {
    downloadModule(folder, MODULE);
    runGo(folder, ["install", `${MODULE.path}@${MODULE.version}`], { GOBIN: join(folder, "bin") });
  },
}, ["bin/k6"]);
