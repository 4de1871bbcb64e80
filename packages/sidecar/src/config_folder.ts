import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { envoyFiles } from "./bootstrap/bootstrap.ts";
import { haproxyFiles } from "./front/haproxy.ts";
import type { SidecarConfig } from "./settings.ts";

/** Writes Envoy's configuration files, and HAProxy's if FRONT_LISTEN is set. Returns their paths. */
export async function writeConfigFiles(config: SidecarConfig): Promise<string[]> {
  const envoy = [...envoyFiles(config)].map(([name, message]) =>
    [name, `${JSON.stringify(message, null, 2)}\n`] as const
  );
  return [
    ...await writeFiles(config.configDirectory, envoy),
    ...config.front ? await writeFiles(config.front.directory, haproxyFiles(config)) : [],
  ];
}

/** Only the owner and group may read the files, because they may contain the proxy secret. */
async function writeFiles(folder: string, files: readonly (readonly [string, string])[]): Promise<string[]> {
  // Set the modes explicitly, because Envoy and HAProxy run as other users, and the umask may be 077.
  if (await mkdir(folder, { recursive: true })) await chmod(folder, 0o755);
  const written: string[] = [];
  for (const [name, text] of files) {
    const path = join(folder, name);
    await writeFile(`${path}.new`, text, { mode: 0o640 });
    await chmod(`${path}.new`, 0o640);
    await rename(`${path}.new`, path);
    written.push(path);
  }
  return written;
}
