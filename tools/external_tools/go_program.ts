import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFolder } from "./folder.ts";
import { downloadModule, type GoModule, runGo } from "./go_module.ts";
import { stampedTool, type Tool } from "./tool.ts";

/**
 * A program that is published as a Go module. The go.mod of the module pins the versions of its dependencies.
 * `go install` verifies them with Go's checksum database and does not read the go.sum of the module.
 * `command` is the program's folder in the module, such as "/cmd/name".
 */
export function goProgram(name: string, module: GoModule, command = ""): Tool {
  return stampedTool({
    name,
    version: module.version,
    install(folder) {
      downloadModule(folder, module);
      runGo(folder, ["install", `${module.path}${command}@${module.version}`], {
        GOBIN: join(folder, "bin"),
      });
    },
  }, [`bin/${name}`]);
}

/** Data that is published as a Go module. Only the entries that the external checks read are kept. */
export function goData(name: string, module: GoModule, entries: readonly string[]): Tool {
  return stampedTool({
    name,
    version: module.version,
    install(folder) {
      replaceFolder(downloadModule(folder, module), join(folder, name), entries);
    },
  }, entries.map((entry) => `${name}/${entry}`));
}

/**
 * A program of this repository that uses a Go library. Its folder `name` holds the source files, and a go.sum
 * that pins everything that it is built from.
 */
export function goSource(
  name: string,
  source: string = fileURLToPath(new URL(`./${name}/`, import.meta.url)),
): Tool {
  const digest = createHash("sha256");
  for (const file of readdirSync(source).sort()) digest.update(readFileSync(join(source, file)));
  const [, library] = /^require (\S+ v\S+)$/m.exec(readFileSync(join(source, "go.mod"), "utf8")) ?? [];
  const program = `bin/${name}`;
  return stampedTool({
    name,
    version: `${library}, source ${digest.digest("hex").slice(0, 12)}`,
    install(folder) {
      runGo(source, ["build", "-o", join(folder, program), "."], { GOFLAGS: "-mod=readonly" });
    },
  }, [program]);
}
