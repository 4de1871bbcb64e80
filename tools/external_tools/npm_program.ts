import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInstaller } from "./run_installer.ts";
import { stampedTool, type Tool } from "./tool.ts";

const PINS = ["package.json", "package-lock.json"];

/**
 * A program from npm with too many packages for the project's own lockfile. A separate lockfile, in the
 * folder `name`, pins all of them.
 */
export function npmProgram(name: string, library: string): Tool {
  const source = fileURLToPath(new URL(`./${name}/`, import.meta.url));
  const digest = createHash("sha256");
  for (const file of PINS) digest.update(readFileSync(join(source, file)));
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  return stampedTool({
    name,
    version: `${library} ${manifest.dependencies[library]}, pins ${digest.digest("hex").slice(0, 12)}`,
    install(folder) {
      const [target, fresh] = [join(folder, name), join(folder, `${name}.new`)];
      rmSync(fresh, { recursive: true, force: true });
      mkdirSync(fresh, { recursive: true });
      for (const file of PINS) copyFileSync(join(source, file), join(fresh, file));
      // npm refuses a package whose hash is not the pinned one. No install script runs.
      runInstaller("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
        cwd: fresh,
        missing: "npm was not found on PATH. It downloads this tool. Install Node with npm.",
      });
      rmSync(target, { recursive: true, force: true });
      renameSync(fresh, target);
    },
  }, [`${name}/node_modules/${library}/package.json`]);
}
