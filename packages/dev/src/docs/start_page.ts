import { page, PAGE_POLICY } from "@gold-partner/server";
import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { quote } from "../ready_text.ts";

/** Adds a copy button to each command. Browsers without scripts show no button. */
const SCRIPT = `
for (const command of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(command.textContent);
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 2000);
  });
  command.before(button);
}
`;

/** The policy of the start page. It also runs SCRIPT, and sends the words of its form to the site's search. */
export const START_POLICY: string = PAGE_POLICY.replace(
  "form-action 'none'",
  `form-action 'self'; script-src 'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`,
);

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
  /** The path of the file with the next one-time link of the console. */
  readonly consoleLink: string;
  readonly steps: readonly Step[];
  readonly site: "built" | "building" | "not built";
}

const SITE_TEXT = {
  built: html`
    <form action="/" role="search">
      <input type="search" name="search" required aria-label="Words to search for" placeholder="quote_expired">
      <button>Search the guides and the reference</button>
    </form>
  `,
  building: html`The guides and the search are being built. Reload this page in a minute.`,
  "not built": html`The site is not built. Run <code>npm run site</code>, then reload this page.`,
};
const SITE_LINKS = {
  Start: "/start",
  Quickstart: "/quickstart.html",
  Reference: "/reference/",
  Errors: "/errors.html",
  Changelog: "/changelog.html",
};

/** A task that a developer does next. Its page is named without `.md`, as in docs/. */
interface Task {
  readonly title: string;
  readonly text: string | ReturnType<typeof html>;
  readonly command: string;
  readonly page: string;
}

const tasksOf = ({ credentials, consoleLink }: StartFacts): readonly Task[] => {
  const command = (text: string) => `npm run gold-partner -- ${text} --credentials ${quote(credentials)}`;
  return [
    {
      title: "Check your access",
      text:
        html`<code>doctor</code> names what is wrong, from the certificate to the webhooks, which need a receiver.`,
      command: command("doctor"),
      page: "partner_cli",
    },
    {
      title: "Place the first order",
      text:
        "Request a quote, and execute it: write its id in the second command. The guide does it with curl.",
      command: `${command("quote buy --grams 1.5")}\n${command("order QUOTE_ID")}`,
      page: "quickstart",
    },
    {
      title: "Receive webhooks",
      text:
        html`<code>listen</code> delivers each new event to a receiver on your machine, at the address that you name.`,
      command: command("listen --forward https://localhost:9443/webhooks"),
      page: "webhooks",
    },
    {
      title: "Simulate the bank, the market and the network",
      text:
        html`<code>trigger</code> makes an event happen, here a paid withdrawal. The guide also provokes each error.`,
      command: command("trigger withdrawal.paid"),
      page: "sandbox",
    },
    {
      title: "Open the console",
      text: "The console shows the operator's side in a browser. The file has a link that opens it once.",
      command: `cat ${quote(consoleLink)}`,
      page: "operator/console",
    },
  ];
};

/** The start page of `npm start`: what to do next, the demo partner, and the steps that have finished. */
export function startPage(facts: StartFacts): Promise<string> {
  const { baseUrl, clientId, certificate, credentials, steps, site } = facts;
  const isBuilt = site === "built";
  const guide = (page: string) =>
    isBuilt ? html`<a href="/${page}.html">Guide</a>` : html`Guide: <code>docs/${page}.md</code>`;
  const tasks = tasksOf(facts).map((task, at) => ({ ...task, id: `task_${at + 1}` }));
  const nav = html`
    <h2>What to do next</h2>
    <ul>${tasks.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
    <h2>This sandbox</h2>
    <ul>
      <li><a href="#partner">The demo partner</a></li>
      <li><a href="#steps">What just happened</a></li>
      <li><a href="/docs">Reference on one page</a></li>
      <li><a href="/openapi.json">openapi.json</a></li>
    </ul>
  `;
  const main = html`
    <h1>Your sandbox</h1>
    <p>The service runs at <code>${baseUrl}</code>. Every request there needs a client certificate.</p>
    <div>${SITE_TEXT[site]}</div>
    <h2>What to do next</h2>
    ${tasks.map(({ id, title, text, command, page }) =>
      html`
        <section class="operation" id="${id}">
          <h3>${title}</h3>
          <p>${text} ${guide(page)}.</p>
          <pre>${command}</pre>
        </section>
      `
    )}
    <h2 id="partner">The demo partner</h2>
    <ul class="members">
      <li><code class="name">client_id</code> <div>${clientId}</div></li>
      <li><code class="name">certificate</code> <div>${certificate.subject}, valid until ${certificate
        .validTo}</div></li>
      <li><code class="name">credentials.json</code> <div>${credentials}</div></li>
    </ul>
    <h2 id="steps">What just happened</h2>
    <ol>${steps.map(({ step, ms, what }) =>
      html`<li><b>${step}</b>, ${Math.round(ms)} ms: ${what}</li>`
    )}</ol>
    <script>${raw(SCRIPT)}</script>
  `;
  return page("Your sandbox", nav, main, isBuilt ? SITE_LINKS : undefined);
}
