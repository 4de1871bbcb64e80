import { runInstaller } from "./run_installer.ts";

/** A Go module at one version. `sum` is the checksum of the module, in the form of go.sum. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
  readonly sum: string;
}

/** The Go version that k6's go.mod requires, the highest that any of these tools requires. */
const GO_AT_LEAST = "1.25";

/** Runs go in `folder`, shows its progress and returns its output. */
export function runGo(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  return runInstaller("go", args, {
    cwd: folder,
    env: { GOFLAGS: "-mod=mod", GO111MODULE: "on", ...env },
    showsProgress: true,
    missing:
      `Go was not found on PATH. It downloads and builds this tool. Install Go ${GO_AT_LEAST} or newer.`,
  });
}

/** Downloads the module with Go's own client, compares its checksum, and returns its folder in Go's cache. */
export function downloadModule(folder: string, { path, version, sum }: GoModule): string {
  const answer = runGo(folder, ["mod", "download", "-json", `${path}@${version}`]);
  const { Dir, Sum } = JSON.parse(answer) as { Dir: string; Sum: string };
  if (Sum !== sum) {
    throw new Error(
      `${path}@${version} has the checksum ${Sum}, but ${sum} is pinned. The module differs from the reviewed module.`,
    );
  }
  return Dir;
}
