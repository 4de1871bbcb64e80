import { html } from "hono/html";
import type { Page } from "../page.ts";
import { formLink } from "../layout.ts";
import { type Html, table } from "../render.ts";
import { TEXT, TITLE } from "../texts.ts";

export async function day({ run }: Page): Promise<Html> {
  const { items } = await run("day check");
  return html`<p>${TEXT.dayAbout}</p>${table(items!, TITLE.endOfDay)}<p class="actions">${
    formLink("day sign")
  }</p>`;
}
