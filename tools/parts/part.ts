import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A real part that npm does not have: a program or data that the judges need. `folder` is .tools, absolute. */
export interface Part {
  readonly name: string;
  readonly version: string;
  isInstalled(folder: string): boolean;
  /** Puts the part in place of whatever lies there, or throws a sentence. */
  install(folder: string): void;
}

/** Something that this machine must have first; the sentence says what it is and how to get it. */
export class MissingToolError extends Error {
  override name = "MissingToolError";
}

/** A part whose stamp, written last, names its version and paths: a half-done or another one is installed anew. */
export function stampedPart(part: Omit<Part, "isInstalled">, paths: readonly string[]): Part {
  const stampOf = (folder: string): string => join(folder, "stamps", part.name);
  const stamp = [part.version, ...paths].join("\n");
  return {
    ...part,
    isInstalled(folder) {
      const whole = [stampOf(folder), ...paths.map((path) => join(folder, path))].every((path) =>
        existsSync(path)
      );
      return whole && readFileSync(stampOf(folder), "utf8") === stamp;
    },
    install(folder) {
      rmSync(stampOf(folder), { force: true });
      part.install(folder);
      mkdirSync(join(folder, "stamps"), { recursive: true });
      writeFileSync(stampOf(folder), stamp);
    },
  };
}
