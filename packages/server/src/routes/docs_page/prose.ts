import { html } from "hono/html";

export type Markup = ReturnType<typeof html>;

/** Converts the CommonMark that descriptions use: paragraphs, `code` and **bold**. */
export function prose(text: string): Markup[] {
  return text.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

export function inline(text: string): (Markup | string)[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (/^`.+`$/s.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    return /^\*\*.+\*\*$/s.test(part) ? html`<strong>${part.slice(2, -2)}</strong>` : part;
  });
}
