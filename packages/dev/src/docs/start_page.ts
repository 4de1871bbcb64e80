import { page } from "@gold-partner/server";
import { html } from "hono/html";

/** A step of `npm start` that is done. */
export interface Step {
  readonly step: string;
  readonly ms: number;
  readonly what: string;
}

/** What the start page shows. It contains no secret: neither a key nor a token. */
export interface StartFacts {
  readonly baseUrl: string;
  readonly clientId: string;
  /** The subject of the client certificate, and the end of its validity. */
  readonly certificate: { readonly subject: string; readonly validTo: string };
  /** The path of the partner's credentials.json. */
  readonly credentials: string;
  readonly steps: readonly Step[];
  readonly site: "built" | "building" | "not built";
}

const SITE_TEXT = {
  built: html`<a href="/">Guides, the reference and the search</a>`,
  building: html`The guides and the search are being built. Reload this page in a minute.`,
  "not built": html`The site is not built. Run <code>npm run site</code>, then reload this page.`,
};

/** The start page of `npm start`. It shows the demo partner and the steps that have finished. */
export function startPage({ baseUrl, clientId, certificate, credentials, steps, site }: StartFacts) {
  const nav = html`
    <ul>
      <li><a href="/docs">Reference</a></li>
      <li><a href="/docs/errors">Errors</a></li>
      <li><a href="/openapi.json">openapi.json</a></li>
    </ul>
  `;
  const main = html`
    <h1>Your sandbox</h1>
    <p>The service runs at <code>${baseUrl}</code>. Every request there needs a client certificate.</p>
    <h2>Documentation</h2>
    <p>${SITE_TEXT[site]}</p>
    <p><a href="/docs">The reference of this service on one page</a></p>
    <h2>The demo partner</h2>
    <ul class="members">
      <li><code class="name">client_id</code> <div>${clientId}</div></li>
      <li><code class="name">certificate</code> <div>${certificate.subject}, valid until ${certificate
        .validTo}</div></li>
      <li><code class="name">credentials.json</code> <div>${credentials}</div></li>
    </ul>
    <h2>What just happened</h2>
    <ol>${steps.map(({ step, ms, what }) =>
      html`<li><b>${step}</b>, ${Math.round(ms)} ms: ${what}</li>`
    )}</ol>
  `;
  return page("Your sandbox", nav, main);
}
