import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { type Loopback, openLoopback } from "./loopback_fixture.ts";

/** The files of a package as `deno publish` sent them, by their path in the package. */
export type Publication = ReadonlyMap<string, Uint8Array>;

export interface JsrRegistry extends Loopback {
  /** By the package's name, such as "client". */
  readonly publications: ReadonlyMap<string, Publication>;
}

const SCOPE = "gold-partner";
const SENT = new RegExp(`^/api/scopes/${SCOPE}/packages/(\\w+)/versions/`);
const TARGET = new RegExp(`^/@${SCOPE}/(\\w+)/(?:(meta)\\.json|([^/]+)_meta\\.json|[^/]+/(.+))$`);

/**
 * Opens a JSR registry for Deno. It accepts every publication and serves the published files to every client.
 */
export async function openJsrRegistry(): Promise<JsrRegistry> {
  const publications = new Map<string, Publication>();
  const loopback = await openLoopback(() => async (request, response) => {
    const { method, url = "" } = request;
    const sent = SENT.exec(url)?.[1];
    if (method === "POST" && sent) {
      publications.set(sent, readTarball(gunzipSync(await buffer(request))));
      response.end(JSON.stringify({ id: crypto.randomUUID(), status: "success", error: null }));
    } else if (url.startsWith("/api/") && !sent) {
      response.end(
        JSON.stringify({ scope: SCOPE, name: url.split("/").at(-1), description: "", score: null }),
      );
    } else {
      const [, name = "", isPackage, isVersion, path] = TARGET.exec(url) ?? [];
      const files = publications.get(name);
      if (!files) {
        response.writeHead(404).end(JSON.stringify({ code: "notFound", message: `No ${url} here.` }));
      } else if (isPackage) response.end(JSON.stringify(packageOf(name, files)));
      else if (isVersion) response.end(JSON.stringify(versionOf(files)));
      else response.end(files.get(path!));
    }
  });
  return { ...loopback, publications };
}

function settingsOf(files: Publication): { readonly version: string; readonly exports: string } {
  return JSON.parse(new TextDecoder().decode(files.get("deno.json")));
}

function packageOf(name: string, files: Publication) {
  const { version } = settingsOf(files);
  return { scope: SCOPE, name, latest: version, versions: { [version]: {} } };
}

function versionOf(files: Publication) {
  const manifest = [...files].map(([path, bytes]) => {
    const checksum = `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
    return [`/${path}`, { size: bytes.length, checksum }] as const;
  });
  return { exports: { ".": settingsOf(files).exports }, manifest: Object.fromEntries(manifest) };
}

const BLOCK_BYTES = 512;

/**
 * Reads the plain files of a tar archive: for each, one block with its name and size, then its bytes in whole
 * blocks.
 */
function readTarball(archive: Uint8Array): Publication {
  const text = (start: number, end: number): string =>
    new TextDecoder().decode(archive.subarray(start, end)).split("\0")[0]!;
  const files = new Map<string, Uint8Array>();
  for (let at = 0; archive[at];) {
    const path = text(at, at + 100);
    const start = at + BLOCK_BYTES;
    const end = start + parseInt(text(at + 124, at + 136), 8);
    files.set(path, archive.slice(start, end));
    at = start + Math.ceil((end - start) / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return files;
}
