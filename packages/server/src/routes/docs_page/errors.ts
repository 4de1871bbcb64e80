import { type ProblemEntry, TOKEN_PROBLEM_REGISTRY } from "@gold-partner/protocol";
import { html } from "hono/html";
import { page } from "./page.ts";
import { inline } from "./prose.ts";

const TITLE = "Errors";

/** The page of all errors, each under the anchor that a problem's `type` links to. */
export async function errorsPage(): Promise<string> {
  const entries = Object.entries(TOKEN_PROBLEM_REGISTRY);
  const nav = html`
    <ul>
      <li><a href="/docs">Reference</a></li>
    </ul>
    <h2>${TITLE}</h2>
    <ul>${entries.map(([code, { status }]) =>
      html`<li><a href="#${code}"><b>${status}</b> ${code}</a></li>`
    )}</ul>
  `;
  const main = html`<h1>${TITLE}</h1>
<p>Let your program branch on <code>code</code>, and handle an unknown code by its status. Retryable: the same request may succeed later without any
change. Binds the key: the Idempotency-Key returns this answer from now on. Spends the nonce: the X-Nonce of the request is used up.</p>
${
    entries.map(([code, entry]) =>
      html`
        <section class="operation" id="${code}">
          <h3><a href="#${code}"><code>${code}</code></a></h3>
          <p class="needs"><span>${entry.status}</span> ${effectsOf(entry).map((effect) =>
            html`
              <span>${effect}</span>
            `
          )}</p>
          <p><strong>${entry.title}.</strong> ${inline(entry.cause)}</p>
          <p>What to do: ${inline(entry.cure)}</p>
        </section>
      `
    )
  }`;
  return await page(TITLE, nav, main);
}

function effectsOf({ retryable, binds_key, spends_nonce }: ProblemEntry): string[] {
  const AT = { true: "", false: undefined, order_quote_id: " at an order", unknown: " (possibly)" } as const;
  const effect = (name: string, does: ProblemEntry["spends_nonce"]) => {
    const how = AT[`${does}`];
    return how === undefined ? [] : [`${name}${how}`];
  };
  return [
    retryable ? "retryable" : "not retryable",
    ...effect("binds the key", binds_key),
    ...effect("spends the nonce", spends_nonce),
  ];
}
