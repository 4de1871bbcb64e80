import { assertEquals } from "@std/assert";
/** Commands that the reader of a page types, and the answer that the page shows. */
export interface Step {
  readonly line: number;
  readonly commands: string;
  readonly shown?: string;
}

const BLOCK = /^```(.*)\n([\s\S]*?)^```$/gm;

interface Block {
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/**
 * Returns every code block of a page. Throws if other text looks like a block, because the tests would skip
 * such a block.
 */
export function readBlocks(page: string): Block[] {
  const stray = page.replace(BLOCK, "").split("\n").find((line) => /```|~~~|^(?: {4}|\t)\s*\S/.test(line));
  if (stray !== undefined) {
    throw new Error(`This line looks like a code block, but the tests would skip it: ${stray}`);
  }
  return [...page.matchAll(BLOCK)].map(({ 1: language, 2: text, index }) => ({
    line: page.slice(0, index).split("\n").length,
    language: language!,
    text: text!,
  }));
}

/**
 * Reads the steps of a page. An `sh` block is typed, and a `text` block after it is its answer. Any other
 * block is an error.
 */
export function readSteps(page: string): Step[] {
  const steps: Step[] = [];
  for (const { line, language, text } of readBlocks(page)) {
    const last = steps.at(-1);
    if (language === "sh") steps.push({ line, commands: text });
    else if (language === "text" && last && last.shown === undefined) {
      steps.splice(-1, 1, { ...last, shown: text });
    } else {throw new Error(
        `Line ${line}: a "${language}" block must be sh, or the first text block after an sh block.`,
      );}
  }
  return steps;
}

/** The steps between this title and the next one. */
export function readSection(page: string, title: string): Step[] {
  const lines = page.split("\n");
  const first = lines.indexOf(`## ${title}`);
  if (first < 0) throw new Error(`The page has no section "${title}".`);
  const last = lines.findIndex((text, index) => index > first && text.startsWith("## "));
  return readSteps(page).filter(({ line }) => line > first && (last < 0 || line <= last));
}

/**
 * Compares the actual answer with the answer that the page shows. A `…` on the page matches a value that
 * differs at each run.
 */
export function expectShown(came: string, shown: string): void {
  const [actual, expected] = [settle(came), settle(shown)];
  const pattern = expected.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replaceAll('"…"', String.raw`(?:"[^"\n]*"|[-\w.]+)`)
    .replaceAll("…", expected.startsWith("{") ? String.raw`[^"\n]+` : String.raw`[^,\s]+`);
  // Compare the texts as they are if the pattern did not match. This fails, too, and shows both texts side by
  // side.
  if (!new RegExp(`^${pattern}$`).test(actual)) assertEquals(actual, expected);
}

/**
 * Normalises a reply, so that line breaks do not matter: the JSON body with one member per line, then the
 * status.
 */
function settle(reply: string): string {
  const text = reply.trim().replace(/[\r\n]+/g, "\n");
  if (!text.startsWith("{")) return text;
  const end = text.lastIndexOf("}") + 1;
  const body = JSON.parse(text.slice(0, end).replace(/: …/g, ': "…"'));
  return JSON.stringify(body, null, 2) + text.slice(end);
}
