// Each page as Markdown, at its address with .md, and llms.txt, which lists them (llmstxt.org).
import { readSource, type SiteFiles } from "./guides.ts";

const TAGS = /^ *(<\/?(?:div|main)[^>]*>|<\/details>|<img [^>]*>|:::.*)$/gm;
const SUMMARY = /<details><summary>(.*?)<\/summary>/g;
/** The sections of llms.txt by the folder of their pages. The convention reserves the last heading. */
const SECTIONS: readonly (readonly [heading: string, folder: RegExp])[] = [
  ["Guides", /^[^/]*$/],
  ["Reference", /^reference\//],
  ["Operator commands", /^operator\//],
  ["Examples", /^examples\//],
  ["Optional", /^/],
];

export function markdownFiles(pages: SiteFiles, title: string, summary: string): SiteFiles {
  const texts = new Map(
    [...pages].filter(([place]) => place.endsWith(".md") && !place.startsWith("public/"))
      .map(([place, text]) => [place, plain(text)]),
  );
  return new Map([
    ...[...texts].map(([place, text]) => [`public/${place}`, text] as const),
    ["public/llms.txt", `# ${title}\n\n> ${summary}\n\n${sectionsOf(texts)}`],
  ]);
}

/** Removes what only the site's style needs. Code stays as it is. */
function plain(text: string): string {
  const parts = text.replace(/^---\n[^]*?\n---\n+/, "").split(/(^ *```[^]*?^ *```$)/m);
  const words = parts.map((part, at) =>
    at % 2 === 1
      ? part
      : part.replace(TAGS, "").replace(SUMMARY, (_, name: string) => `${name.replaceAll(/<\/?code>/g, "`")}:`)
        .replaceAll(/ \{#[\w-]+\}$/gm, "")
  );
  return words.join("").replaceAll(/\n( *\n){2,}/g, "\n\n").trimStart();
}

function sectionsOf(texts: ReadonlyMap<string, string>): string {
  // The guides are in the order of the list of all guides.
  const guides = readSource("docs/README.md");
  const rank = (place: string) => place.includes("/") ? 0 : guides.indexOf(`](${place})`) >>> 0;
  const left = new Set([...texts.keys()].sort((a, b) => rank(a) - rank(b)));
  return SECTIONS.map(([heading, folder]) => {
    const places = [...left].filter((place) => folder.test(place));
    for (const place of places) left.delete(place);
    return `## ${heading}\n\n${places.map((place) => lineOf(place, texts.get(place)!)).join("\n")}\n`;
  }).join("\n");
}

/** `- [Title](address): first sentence.` The page of an operation has its method and path first. */
function lineOf(place: string, text: string): string {
  const [, title = ""] = /^# (.*)$/m.exec(text)!;
  const body = text.slice(text.indexOf("\n", text.indexOf("# "))).replaceAll(/^```[^]*?^```$/gm, "");
  const paragraphs = body.trim().split(/\n\n+/);
  const [route] = /^\*\*[A-Z]+\*\* `[^`]*`/.exec(paragraphs[0]!) ?? [];
  const prose = paragraphs.slice(route ? 1 : 0).find((one) => /^(?!Date:)[^|<#!]/.test(one)) ?? "";
  const [sentence] = /^[^]*?\.(?=\s|$)/.exec(prose) ?? [prose.replace(/:$/, ".")];
  const words = [...(route ? [`${route}.`] : []), sentence].join(" ").replaceAll(
    /\*\*|\[|\]\([^)]*\)|^- /g,
    "",
  )
    .replaceAll(/\s+/g, " ");
  return `- [${title}](/${place})${words && `: ${words}`}`;
}
