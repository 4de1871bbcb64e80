import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stampedTool, type Tool } from "./tool.ts";
import { downloadWheels, installRequirements, installSource, type PythonPackage } from "./python_package.ts";

/** A Python package with all its dependencies. `NAME.txt` beside this file pins every file by its hash. */
interface Requirements {
  readonly name: string;
  readonly version: string;
  /** Files and folders that exist after a complete install. */
  readonly entries: readonly string[];
  /** Packages that are published without a wheel. `NAME.txt` also pins the tools that build them. */
  readonly sources?: readonly PythonPackage[];
  /** Keeps the wheels in the folder `wheels` instead of installing them, so that a test can install them. */
  readonly asWheels?: boolean;
}

export function requirementsTool({ name, version, entries, sources = [], asWheels }: Requirements): Tool {
  const pins = fileURLToPath(new URL(`./${name}.txt`, import.meta.url));
  const digest = createHash("sha256").update(readFileSync(pins)).digest("hex").slice(0, 12);
  return stampedTool({
    name,
    version: `${version}, pins ${digest}`,
    install(folder) {
      const target = join(folder, name);
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target, { recursive: true });
      if (asWheels) downloadWheels(join(target, "wheels"), pins);
      else installRequirements(target, pins);
      for (const source of sources) installSource(target, source);
    },
  }, entries.map((entry) => `${name}/${entry}`));
}
