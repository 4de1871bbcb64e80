// The site's configuration. It is plain JavaScript, because VitePress loads it before anything of the
// repository is compiled. build.ts writes the pages and their navigation to dist/ first.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformerStyleToClass } from "@shikijs/transformers";

const fileOf = (path) => new URL(path, import.meta.url);
const groups = JSON.parse(
  readFileSync(fileOf("../dist/pages/navigation.json"), "utf8"),
);

/** Colours of code as classes: the Content-Security-Policy allows no style attribute. */
const colours = transformerStyleToClass({ classPrefix: "c" });

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g;

/**
 * A page may load only what this site serves, and run only the scripts that VitePress wrote into it.
 */
function policyOf(html) {
  const hashes = [...html.matchAll(SCRIPT)].map(([, text]) => hashOf(text));
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(" ")}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Aligns the cells of a table by a class instead of a style attribute. */
function alignByClass({ tokens }) {
  for (const token of tokens) {
    if (token.attrGet("style") === "text-align:right") token.attrs = [["class", "right"]];
  }
}

/** The anchor of a heading, as the guides' links and the `type` of a problem name it. */
const anchorOf = (heading) =>
  heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

/** A name of several words, such as quote_expired or Last-Event-ID, as the one word that the theme makes of a query. */
const wordOf = (name) => name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();

/** Adds below each heading that is such a name its one word, so that the search has this section first. */
const withWords = (html) =>
  html.replaceAll(
    /<h([23])[^>]*>(?:<code>)?([a-z]+(?:_[a-z0-9]+)+)\b[^]*?<\/h\1>/g,
    (heading, _, name) => `${heading}<p>name${wordOf(name)}</p>`,
  );

/**
 * What the search reads of a page. The page of an operation is one section. Its title begins with the method, path
 * and name, because the search weighs a title more than text. Its text begins with the words of its names, and with
 * the path as one word. The theme makes the same word of a query that is a path.
 */
const textOfSearch = (source, env, markdown) => {
  const html = markdown.render(source, env);
  const [, route] = /<div class="route">([^]*?)<\/div>/.exec(html) ?? [];
  if (!route) return withWords(html);
  const [method, path, ...names] = route.replaceAll(/<[^>]*>/g, "").trim().split(" ");
  const spoken = names.join(" ").replaceAll(/[A-Z]/g, " $&");
  const word = `path${wordOf(path)}`;
  const headers = [...html.matchAll(/<code>([A-Z]\w*(?:-\w+)+)<\/code>/g)].map(([, name]) =>
    `name${wordOf(name)}`
  );
  return html.replaceAll(/<(\/?)h[23]/g, "<$1p")
    .replace(
      /(<h1[^>]*>)([^]*?<\/h1>)/,
      `$1${route.trim()}: $2<p>${spoken} ${word} ${word.replace("path", `path${method}`)} ${
        headers.join(" ")
      }</p>`,
    );
};

const page = (text, link) => ({ text, link });

/** The sidebar of the reference. */
const reference = [
  { items: [page("Conventions", "/reference/"), page("Errors", "/errors")] },
  ...groups.map((group) => ({ ...group, collapsed: false })),
];

export default {
  lang: "en",
  title: "Gold Trading Partner API",
  description: "Buy and sell physical-backed 24K gold against a prefunded SAR account.",
  srcDir: "dist/pages",
  srcExclude: ["public/**"],
  outDir: "dist/fresh",
  cacheDir: "dist/cache",
  metaChunk: true,
  // Otherwise VitePress adds a style that stops transitions while it sets the theme, and each load of a page
  // computes all styles three times. style.css stops transitions instead.
  appearance: { disableTransition: false },
  head: [
    ["link", { rel: "icon", href: "/icon.svg", type: "image/svg+xml" }],
    ["link", { rel: "stylesheet", href: "/code.css" }],
  ],
  markdown: {
    anchor: { slugify: anchorOf },
    theme: {
      light: "github-light-high-contrast",
      dark: "github-dark-high-contrast",
    },
    codeTransformers: [colours],
    config: (markdown) => markdown.core.ruler.push("alignment", alignByClass),
  },
  transformHead: ({ page }) =>
    page === "404.md" ? [] : [["link", { rel: "alternate", type: "text/markdown", href: `/${page}` }]],
  transformHtml(html) {
    // Remove two style attributes, which VitePress sets again when the page runs. Until then, style.css has
    // the same rules.
    const still = html.replaceAll(/ style="[^"]*"/g, "");
    const meta = `<meta http-equiv="Content-Security-Policy" content="${policyOf(still)}">`;
    return still.replace(
      '<meta charset="utf-8">',
      `<meta charset="utf-8">\n    ${meta}`,
    );
  },
  /** The colours are known only when all pages are rendered. */
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, "code.css"), colours.getCSS());
  },
  themeConfig: {
    search: { provider: "local", options: { _render: textOfSearch } },
    outline: { level: [2, 3] },
    nav: [
      page("Quickstart", "/quickstart"),
      page("Reference", "/reference/"),
      page("Errors", "/errors"),
      page("Changelog", "/changelog"),
    ],
    sidebar: {
      "/reference/": reference,
      "/": [
        {
          text: "Start",
          items: [
            page("First order with curl", "/quickstart"),
            page("TypeScript", "/typescript"),
            page("Python", "/python.html"),
            page("Java", "/java.html"),
            page("C#", "/csharp.html"),
            page("Generated clients", "/generated_clients"),
            page("gold-partner, the command line", "/partner_cli"),
            page("Bruno", "/examples/bruno/"),
          ],
        },
        {
          text: "Tasks",
          items: [
            page("Sign a request", "/signing"),
            page("Retry safely", "/idempotency"),
            page("Receive webhooks", "/webhooks"),
            page("Provoke errors in the sandbox", "/sandbox"),
            page("Replace credentials", "/rotation"),
            page("Find out why a call fails", "/partner_cli#doctor"),
            page("Go to production", "/going_live"),
          ],
        },
        {
          text: "Examples",
          items: [
            page("Webhook receivers", "/examples/receiver/"),
            page("Signing in Java, C# and Go", "/examples/signing/"),
          ],
        },
        {
          text: "Reference",
          items: [
            page("Conventions", "/reference/"),
            ...groups.map(({ text, link }) => page(text, link)),
            page("Errors", "/errors"),
            page("The hash chain", "/chain"),
          ],
        },
        {
          text: "Operator commands",
          items: [
            page("Overview", "/operator"),
            page("Set up a deployment", "/operator/setup"),
            page("Partners", "/operator/partners"),
            page("Money in and out", "/operator/money"),
            page("Webhooks and events", "/operator/events"),
            page("Certificates and keys", "/operator/keys"),
            page("Operators' logins", "/operator/logins"),
            page("Prices and the market", "/operator/prices"),
            page("External checkpoints", "/operator/checkpoints"),
            page("Partners for load tests", "/operator/load_tests"),
            page("Two people", "/operator/two_people"),
            page("Signed approvals", "/operator/signed_approvals"),
            page("A day with two people", "/operator_day"),
            page("The audit", "/audit"),
          ],
        },
        {
          text: "Operate the service",
          items: [
            page("Deployment", "/deployment"),
            page("High availability", "/high_availability"),
            page("Recovery", "/recovery"),
            page("Upgrade Postgres", "/postgres_upgrade"),
            page("Security model", "/security_model"),
            page("Performance", "/performance"),
            page("Decisions", "/decisions/"),
          ],
        },
      ],
    },
  },
};
