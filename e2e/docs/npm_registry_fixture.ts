import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const TSX = fileURLToPath(new URL("../../node_modules/tsx/dist/cli.mjs", import.meta.url));
const MANIFEST = { name: "tsx", version: "1.0.0", bin: { tsx: "tsx.mjs" } };

/**
 * Serves an npm registry whose only package is `tsx`. It runs this repository's tsx, so that npx works
 * without the network.
 */
export async function serveNpmRegistry(folder: string): Promise<{ server: Server; url: string }> {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify(MANIFEST));
  await writeFile(join(folder, "tsx.mjs"), `#!/usr/bin/env node\nimport ${JSON.stringify(TSX)};\n`);
  await promisify(execFile)("npm", ["pack", "--silent"], { cwd: folder });
  const tarball = await readFile(join(folder, "tsx-1.0.0.tgz"));
  const server = createServer((request, response) => {
    const versions = { "1.0.0": { ...MANIFEST, dist: { tarball: `${url}/tsx.tgz` } } };
    if (request.url === "/tsx.tgz") response.end(tarball);
    else if (request.url === "/tsx") {
      response.end(JSON.stringify({ name: "tsx", "dist-tags": { latest: "1.0.0" }, versions }));
    } else response.writeHead(404).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, url };
}
