import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { Markup } from "./prose.ts";
import { STYLE } from "./style.ts";

/**
 * Content-Security-Policy of the pages. It allows them only their own style: they load nothing and run no
 * script.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Links of the header, by their text. */
type Links = Readonly<Record<string, string>>;

const SERVICE_LINKS: Links = {
  Reference: "/docs",
  Errors: "/docs/errors",
  "openapi.json": "/openapi.json",
};

/**
 * A complete page. Its empty icon keeps browsers from requesting one. The title in the header leads to the first of
 * the links.
 */
export async function page(title: string, nav: Markup, main: Markup, links = SERVICE_LINKS): Promise<string> {
  const text = await html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title}</title>
        <link rel="icon" href="data:,">
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <a class="to_contents" href="#contents">Contents</a>
        <header>
          <a class="home" href="${Object.values(links)[0]}">Gold Trading Partner API</a>
          <div>${Object.entries(links).map(([name, link]) =>
            html`
              <a href="${link}">${name}</a>
            `
          )}</div>
        </header>
        <main>${main}</main>
        <nav id="contents" aria-label="Contents">${nav}</nav>
      </body>
    </html>
  `;
  return `${`${text}`.trim()}\n`;
}
