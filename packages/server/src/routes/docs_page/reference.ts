import type { Json } from "@gold-partner/protocol";
import { html } from "hono/html";
import { type Content, type Described, type Operation, resolveIn } from "./described.ts";
import { parameterList } from "./members.ts";
import { requestMessage, type Sent } from "./message.ts";
import { operationSection } from "./operation.ts";
import { page } from "./page.ts";
import { inline, type Markup, prose } from "./prose.ts";

/** The API description as an HTML page. It has no script and loads nothing, so a saved copy works too. */
export async function referencePage(document: Json): Promise<string> {
  const described = document as unknown as Described;
  const { info, servers: [server], tags } = described;
  const sent = everythingSent(described, new URL(server!.url).host);
  const ofTag = (name: string) => sent.filter(({ operation }) => operation.tags?.includes(name));
  const nav = html`
    ${tags.map(({ name }) =>
      html`
        <h2>${name}</h2>
        <ul>${ofTag(name).map(navItem)}</ul>
      `
    )}<h2>More</h2><ul>
      <li><a href="#webhooks">Webhooks</a></li>
      <li><a href="/docs/errors">Errors</a></li>
      <li><a href="/openapi.json">openapi.json</a></li>
    </ul>
  `;
  const resolve = resolveIn(described);
  const ownRefusal = rarestOf(sent.map(({ operation }) => operation), resolve);
  const main = html`
    <h1>${info.title}</h1>
    <p class="route"><code>${server!.url}</code> <span class="kind">${server!.description}</span></p>
    ${prose(info.description)}
    ${tags.map(({ name, description }) =>
      html`<h2>${name}</h2>${prose(description)}${
        ofTag(name).map((one) => operationSection(one, ownRefusal, resolve))
      }`
    )}${webhookSection(described)}
  `;
  return await page(info.title, nav, main);
}

function everythingSent({ paths }: Described, host: string): Sent[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      host,
      operation,
    }))
  );
}

const navItem = ({ method, path, operation: { operationId } }: Sent): Markup =>
  html`<li><a href="#${operationId}"><b>${method}</b> ${path}</a></li>`;

/**
 * Returns a function that takes an operation's problem codes and returns the code that the fewest operations
 * have.
 */
function rarestOf(operations: readonly Operation[], resolve: ReturnType<typeof resolveIn>) {
  const uses = new Map<string, number>();
  const codes = operations.flatMap(({ responses }) => Object.values(responses)).flatMap((place) =>
    resolve(place)["x-problem-codes"] ?? []
  );
  for (const code of codes) uses.set(code, (uses.get(code) ?? 0) + 1);
  return (own: readonly string[]): string =>
    own.reduce((rarest, code) => uses.get(code)! < uses.get(rarest)! ? code : rarest);
}

/** Describes all webhooks once, because they differ only in their event. */
function webhookSection(described: Described): Markup {
  const events = Object.entries(described.webhooks);
  const [, { post: { description, parameters = [], responses } }] = events[0]!;
  const resolve = resolveIn(described);
  const sentToYou = (operation: Operation) => ({
    method: "POST",
    path: "/your/webhook",
    host: "your.example",
    operation,
  });
  return html`
    <section id="webhooks">
    <h2>Webhooks</h2>
    ${prose(description)}
    <h4>Headers</h4>${parameterList(parameters, resolve)}
    <h4>Effect of your answer</h4>
    <dl class="refusals">${Object.entries(responses).sort().map(([status, place]) =>
      html`
        <dt>${status}</dt>
        <dd>${inline(resolve(place).description)}</dd>
      `
    )}</dl>
    ${events.map(([type, { post }]) => {
      const [[mediaType, { examples = {} }]] = Object.entries(post.requestBody!.content) as [
        [string, Content],
      ];
      const [example] = Object.values(examples);
      return html`
        <section class="operation"
          id="${type}"><h3><a href="#${type}"><code>${type}</code></a></h3>${prose(
            post.summary,
          )}${requestMessage(sentToYou(post), mediaType, example && resolve(example).value)}</section>
      `;
    })}</section>
  `;
}
