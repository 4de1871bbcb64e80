import { readFile } from "node:fs/promises";

const own = (name: string) => new URL(`./assets/${name}`, import.meta.url);
const [script, style] = ["text/javascript", "text/css"];

/** The files of the pages. Nothing comes from another host. */
const FILES: Readonly<Record<string, readonly [type: string, file: URL]>> = {
  "htmx.js": [script, new URL(import.meta.resolve("htmx.org/dist/htmx.min.js"))],
  "hx-csp.js": [script, new URL(import.meta.resolve("htmx.org/dist/ext/hx-csp.min.js"))],
  "uplot.js": [script, new URL(import.meta.resolve("uplot/dist/uPlot.iife.min.js"))],
  "uplot.css": [style, new URL(import.meta.resolve("uplot/dist/uPlot.min.css"))],
  "console.js": [script, own("console.js")],
  "style.css": [style, own("style.css")],
  "icon.svg": ["image/svg+xml", own("icon.svg")],
};

/** Returns a file and its type. Undefined if there is none with this name. */
export async function readAsset(name: string): Promise<readonly [type: string, text: string] | undefined> {
  if (!Object.hasOwn(FILES, name)) return undefined;
  const [type, file] = FILES[name]!;
  return [`${type}; charset=utf-8`, await readFile(file, "utf8")];
}
