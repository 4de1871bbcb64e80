import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

/** A file of the built site, ready to be sent. */
export interface SiteFile {
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** The body compressed with gzip. */
  readonly gzip: Uint8Array;
  /** True for a file whose name contains the hash of its content. */
  readonly fixed: boolean;
}

const TEXT = "text/plain; charset=utf-8";
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": TEXT,
  ".svg": "image/svg+xml",
};

/**
 * Returns the file that a URL's path names, or undefined if there is none. "/guides/" names
 * guides/index.html, and "/quickstart" names quickstart.html.
 */
export async function readSiteFile(folder: string, path: string): Promise<SiteFile | undefined> {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  // Normalizing an absolute path removes every "..", so the file lies in the folder.
  const name = normalize(decoded.endsWith("/") ? `${decoded}index.html` : decoded);
  if (!name.startsWith("/") || name.includes("\0")) return undefined;
  const file = extname(name) === "" ? `${name}.html` : name;
  const body = await readFile(join(folder, file)).catch(() => undefined);
  if (!body) return undefined;
  return {
    mediaType: MEDIA_TYPES[extname(file)] ?? TEXT,
    body,
    gzip: gzipSync(body),
    fixed: name.startsWith("/assets/"),
  };
}
