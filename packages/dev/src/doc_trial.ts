import { assertEquals } from "@std/assert";

/** What a reader of a page types, and what the page says comes back. */
export interface Step {
  readonly line: number;
  readonly commands: string;
  readonly shown?: string;
}

const BLOCK = /^```(.*)\n([\s\S]*?)^```$/gm;

/** Every block of a page: `sh` is typed, a `text` after it is its answer. Nothing else may look like a block, so that none is passed over. */
export function readSteps(page: string): Step[] {
  const steps: Step[] = [];
  for (const { 1: language, 2: text, index } of page.matchAll(BLOCK)) {
    const line = page.slice(0, index).split("\n").length;
    const last = steps.at(-1);
    if (language === "sh") steps.push({ line, commands: text! });
    else if (language === "text" && last && last.shown === undefined) {
      steps.splice(-1, 1, { ...last, shown: text! });
    } else throw new Error(`Line ${line}: a block "${language}" that is neither typed nor an answer.`);
  }
  const stray = page.replace(BLOCK, "").split("\n").find((line) => /```|~~~|^(?: {4}|\t)\s*\S/.test(line));
  if (stray !== undefined) throw new Error(`This looks like a block and would not be tried: ${stray}`);
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
