// The guides as pages of the site. docs/ is their single source: only their links are changed.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT: string = fileURLToPath(new URL("..", import.meta.url));
const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/g;
const EXAMPLES = "docs/examples/";
/** The languages of example programs, by the ending of the file's name. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ".cs": "csharp",
  ".go": "go",
  ".java": "java",
  ".js": "js",
  ".mjs": "js",
  ".py": "python",
  ".ts": "ts",
};

/** The endings of example programs, without the dot. */
export const EXAMPLE_ENDINGS: readonly string[] = Object.keys(LANGUAGES).map((ending) => ending.slice(1));

/** The files of the site by path. A `.md` file is a page. A file below `public/` is published unchanged. */
export type SiteFiles = Map<string, string>;

export const readSource = (path: string): string => readFileSync(posix.join(ROOT, path), "utf8");

/**
 * Returns the pages of docs/ and of everything that they link to. A README becomes a page. A folder of
 * example programs becomes a page that shows the programs. Any other file is published unchanged.
 */
export function guidePages(): SiteFiles {
  const guides = filesBelow("docs").filter((path) => path.endsWith(".md"));
  const linked = guides.flatMap((path) => linksOf(path).map(({ target }) => target));
  const sources = new Set([
    ...guides,
    "CHANGELOG.md",
    ...linked.filter(isPublishable),
  ]);
  return new Map(
    [...sources].map((source) => [placeOf(source), textOf(source, sources)]),
  );
}

/** Returns what is shown below `source`: a page for a README or a folder, or the file itself. */
function textOf(source: string, sources: ReadonlySet<string>): string {
  if (!source.endsWith("/") && !source.endsWith(".md")) {
    return readSource(source);
  }
  const page = source.endsWith("/")
    ? `# ${titleOf(source)}\n\nThe files in \`${source.slice(0, -1)}\` of the repository.\n\n`
    : relink(source, sources);
  const folder = source.replace(/README\.md$/, "");
  if (source === "docs/decisions/") return page + indexOf(folder);
  return folder.endsWith("/") && folder.startsWith(EXAMPLES) ? page + programsOf(folder) : page;
}

/**
 * Points each link of a page to the place of its target. A link to an unpublished file becomes plain text.
 */
function relink(source: string, sources: ReadonlySet<string>): string {
  const links = linksOf(source);
  return readSource(source).replace(
    LINK,
    (whole, text: string, link: string) => {
      const found = links.find((one) => one.link === link);
      if (!found) return whole;
      if (!sources.has(found.target)) return text;
      const place = placeOf(found.target);
      const path = place.startsWith("public/") ? place.slice("public".length) : `/${place}`;
      return `[${text}](${path}${found.anchor})`;
    },
  );
}

interface Link {
  readonly link: string;
  /** The linked file's path from the root. A folder without a README ends in "/". */
  readonly target: string;
  readonly anchor: string;
}

/** The links of a page that lead to files of this repository. */
function linksOf(source: string): Link[] {
  if (!source.endsWith(".md")) return [];
  return [...readSource(source).matchAll(LINK)].map(([, , link = ""]) => link)
    .filter((link) => !/^(https?:|#)/.test(link)).map((link) => {
      const [path = "", anchor] = link.split("#");
      const file = posix.join(posix.dirname(source), path);
      return {
        link,
        target: readmeOf(file),
        anchor: anchor === undefined ? "" : `#${anchor}`,
      };
    });
}

function readmeOf(path: string): string {
  if (!statSync(posix.join(ROOT, path)).isDirectory()) return path;
  const readme = posix.join(path, "README.md");
  return existsSync(posix.join(ROOT, readme)) ? readme : `${path.replace(/\/$/, "")}/`;
}

/**
 * VitePress treats a link without an extension as a link to a page, so such a file cannot be published. The
 * service's own source is not part of the site.
 */
const isPublishable = (target: string): boolean =>
  target.endsWith("/") ||
  (extname(target) !== "" && (target.startsWith("docs/") || !/\.(ts|sql)$/.test(target)));

/** Returns where the site has a file of the repository: docs/webhooks.md is at webhooks.md. */
function placeOf(source: string): string {
  if (source === "CHANGELOG.md") return "changelog.md";
  // The landing page takes the place of the list of pages.
  const path = source.replace(/^docs\//, "").replace(
    /(^|\/)README\.md$/,
    "$1index.md",
  );
  if (path.endsWith("/")) return `${path}index.md`;
  return path.endsWith(".md") ? path : `public/${path}`;
}

function indexOf(folder: string): string {
  return filesBelow(folder.slice(0, -1)).map((path) => `- [${titleOf(path)}](/${placeOf(path)})`).join("\n");
}

/** The programs in a folder, as the tabs of one block. */
function programsOf(folder: string): string {
  const programs = filesBelow(folder.slice(0, -1)).filter((path) => LANGUAGES[extname(path)]);
  if (programs.length === 0) return "";
  const blocks = programs.map((path) =>
    `\`\`\`${LANGUAGES[extname(path)]} [${path.slice(folder.length)}]\n${
      readSource(path).trimEnd()
    }\n\`\`\`\n`
  );
  return `\n## The programs\n\n::: code-group\n\n${blocks.join("\n")}\n:::\n`;
}

function titleOf(path: string): string {
  if (path.endsWith(".md")) return /^# (.*)$/m.exec(readSource(path))![1]!;
  const name = posix.basename(path).replaceAll("_", " ");
  return path.startsWith(EXAMPLES) ? `Example: ${name}` : `${name[0]!.toUpperCase()}${name.slice(1)}`;
}

function filesBelow(folder: string): string[] {
  return readdirSync(posix.join(ROOT, folder), {
    recursive: true,
    encoding: "utf8",
  })
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .filter((path) =>
      statSync(posix.join(ROOT, path)).isFile() &&
      !path.includes("node_modules")
    ).sort();
}
