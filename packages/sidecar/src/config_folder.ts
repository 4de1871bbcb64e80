import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { envoyFiles } from "./bootstrap/bootstrap.ts";
import type { SidecarConfig } from "./settings.ts";

/** Writes what Envoy reads. The proxy's secret may be in it: its group may read it, others not. */
export async function writeEnvoyFiles(config: SidecarConfig): Promise<string[]> {
  await mkdir(config.configDirectory, { recursive: true });
  const written: string[] = [];
  for (const [name, message] of envoyFiles(config)) {
    const path = join(config.configDirectory, name);
    await writeFile(`${path}.new`, `${JSON.stringify(message, null, 2)}\n`, { mode: 0o640 });
    await rename(`${path}.new`, path);
    written.push(path);
  }
  return written;
}
