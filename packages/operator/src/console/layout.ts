import { createHash } from "node:crypto";
import { html } from "hono/html";
import { ACTIONS, pathOf } from "./actions.ts";
import type { Html } from "./render.ts";
import type { InboxItem } from "../views/inbox.ts";
import { PAGES, TEXT } from "./texts.ts";

/** What every page shows of its person and its deployment. */
export interface Frame {
  readonly login: string;
  readonly environment: "sandbox" | "production";
  readonly nonce: string;
  /** The address of the console. No other user of the machine knows it. */
  readonly base: string;
  readonly path: string;
  /** What waits for the person. */
  readonly inbox: readonly InboxItem[];
  /** The address of the dashboards, if GRAFANA_URL is set. */
  readonly grafana: string | undefined;
  /** Returns the token of a new form. */
  readonly form: () => string;
}

/** A whole page. `htmx` loads again what has hx- attributes; without scripts, the person reloads the page. */
export const layout = (frame: Frame, title: string, content: Html | readonly Html[]): Html =>
  html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <base href="${frame.base}">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="htmx-config"
          content='{"extensions":"hx-csp","includeIndicatorCSS":false,"history":false,"noSwap":[204,304,"4xx","5xx"]}'>
        <title>${title} · ${TEXT.product}</title>
        <link rel="icon" href="./assets/icon.svg">
        <link rel="stylesheet" href="./assets/uplot.css">
        <link rel="stylesheet" href="./assets/style.css">
        <script nonce="${frame.nonce}" src="./assets/htmx.js" defer></script>
        <script nonce="${frame.nonce}" src="./assets/hx-csp.js" defer></script>
        <script nonce="${frame.nonce}" src="./assets/uplot.js" defer></script>
        <script nonce="${frame.nonce}" src="./assets/console.js" defer></script>
      </head>
      <body class="${frame.environment}">
        <a class="skip" href=".${frame.path}#main">${TEXT.skip}</a>
        <header>
          <a class="brand" href="./">${TEXT.product}</a>
          <span class="badge">${TEXT[frame.environment]}</span>
          <form class="search" action="./search" role="search">
            <input name="q" type="search" aria-label="${TEXT.search}" placeholder="${TEXT
              .searchHint}" autocomplete="off">
          </form>
          <span class="login"><bdi>${frame.login}</bdi></span>
        </header>
        <nav aria-label="Pages">
          <ul>${Object.entries(PAGES).map(([path, name]) =>
            html`<li><a href=".${path}"${
              frame.path === path
                ? html`
                  aria-current="page"
                `
                : ""
            }>${name}${path === "/inbox" ? badge(frame.inbox, frame.nonce) : ""}</a></li>`
          )}${frame.grafana === undefined
            ? ""
            : html`<li><a href="${frame.grafana}" target="_blank" rel="noreferrer">${TEXT.grafana}</a></li>`}</ul>
        </nav>
        <main id="main" tabindex="-1"><h1>${title}</h1>${content}</main>
      </body>
    </html>
  `;

/** The number of things that wait for a person. Its script reads it every five seconds. */
export const badge = (inbox: readonly InboxItem[], nonce: string): Html =>
  html`
    <span id="waiting" class="count" data-items="${inbox.map(keyOf).join(
      " ",
    )}" hx-get="./waiting" hx-trigger="every 5s"
      hx-swap="outerHTML" hx-nonce="${nonce}">${inbox.length > 0 ? inbox.length : ""}</span>
  `;

/** Names a thing that waits, so that a page notices a new one. */
const keyOf = ({ waits, about, next, since }: InboxItem): string =>
  createHash("sha256").update([waits, about, next, since].join("\n")).digest("base64url").slice(0, 8);

/** A form that sends only what is given here, with one button. */
export const button = (
  frame: Frame,
  words: string,
  given: Readonly<Record<string, string>>,
  label?: string,
): Html =>
  html`<form method="post" action="${
    pathOf(words)
  }"><input type="hidden" name="form" value="${frame.form()}"><input
 type="hidden" name="from" value="${frame.path}">${
    Object.entries(given).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  }<button>${label ?? ACTIONS.get(words)!.label}</button></form>`;

/** A link to the form of an action. */
export const formLink = (words: string, given: Readonly<Record<string, string>> = {}, label?: string): Html =>
  html`<a class="button" href="${pathOf(words, given)}">${label ?? ACTIONS.get(words)!.label}</a>`;

/**
 * Answers every address outside the secret path. The console stored this path in the browser, so the script
 * can open an address that a colleague sent, or one from before a restart. The console then treats the
 * navigation as its own. So the script drops the query of a form, because anyone could have written the
 * address. It also drops the query of a path with an escape, which could hide a form.
 */
export const arrival = (nonce: string): Html =>
  html`
    <!doctype html>
    <html lang="en">
      <title>${TEXT.product}</title>
      <p>${TEXT.noSession}</p>
      <script nonce="${nonce}">
    const base = localStorage.getItem("gold-console");
    const { pathname, search } = location;
    const path = pathname.replace(/^\\/[0-9a-f]{32}(?=\\/)/, "").slice(1);
    const query = /^(?!do\\/)[a-z]+(\\/[\\w.-]+)*$/.test(path) ? search : "";
    if (base && !pathname.startsWith(base)) location.replace(base + path + query);
    </script>
    </html>
  `;
