import { assertEquals } from "@std/assert";

/** What a reader of a page types, and what the page says comes back. */
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

/** Every block of a page. Nothing else may look like one, so that none is passed over. */
export function readBlocks(page: string): Block[] {
  const stray = page.replace(BLOCK, "").split("\n").find((line) => /```|~~~|^(?: {4}|\t)\s*\S/.test(line));
  if (stray !== undefined) throw new Error(`This looks like a block and would not be tried: ${stray}`);
  return [...page.matchAll(BLOCK)].map(({ 1: language, 2: text, index }) => ({
    line: page.slice(0, index).split("\n").length,
    language: language!,
    text: text!,
  }));
}

/** `sh` is typed, a `text` after it is its answer; a page that is followed has nothing else. */
export function readSteps(page: string): Step[] {
  const steps: Step[] = [];
  for (const { line, language, text } of readBlocks(page)) {
    const last = steps.at(-1);
    if (language === "sh") steps.push({ line, commands: text });
    else if (language === "text" && last && last.shown === undefined) {
      steps.splice(-1, 1, { ...last, shown: text });
    } else throw new Error(`Line ${line}: a block "${language}" that is neither typed nor an answer.`);
  }
  return steps;
}

/** Compares what came with what the page shows, where `…` stands for what is new each time. */
export function expectShown(came: string, shown: string): void {
  const [actual, expected] = [settle(came), settle(shown)];
  const pattern = expected.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replaceAll('"…"', String.raw`(?:"[^"\n]*"|[-\w.]+)`)
    .replaceAll("…", expected.startsWith("{") ? String.raw`[^"\n]+` : String.raw`[^,\s]+`);
  // Where they differ the two texts side by side say how.
  if (!new RegExp(`^${pattern}$`).test(actual)) assertEquals(actual, expected);
}

/** A JSON body one member a line, however it is broken; then the status. */
function settle(reply: string): string {
  const text = reply.trim().replace(/[\r\n]+/g, "\n");
  if (!text.startsWith("{")) return text;
  const end = text.lastIndexOf("}") + 1;
  const body = JSON.parse(text.slice(0, end).replace(/: …/g, ': "…"'));
  return JSON.stringify(body, null, 2) + text.slice(end);
}
