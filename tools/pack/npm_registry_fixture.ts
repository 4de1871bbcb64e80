import { createHash } from "node:crypto";
import { basename } from "node:path";
import { type Loopback, openLoopback } from "./loopback_fixture.ts";
import type { Tarball } from "./tarball.ts";

/** Opens an npm registry that has these packages and no others. */
export function openNpmRegistry(tarballs: readonly Tarball[]): Promise<Loopback> {
  return openLoopback((url) => (request, response) => {
    const name = decodeURIComponent(request.url ?? "").slice(1);
    const bytes = tarballs.find(({ path }) => basename(path) === name)?.bytes;
    const listed = tarballs.find(({ manifest }) => manifest.name === name);
    if (bytes) response.end(bytes);
    else if (listed) response.end(JSON.stringify(listingOf(listed, url)));
    else response.writeHead(404).end(JSON.stringify({ error: `There is no ${name} here.` }));
  });
}

function listingOf({ manifest, path, bytes }: Tarball, url: string) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const dist = { tarball: `${url}${basename(path)}`, integrity };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
