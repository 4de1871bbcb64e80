import { html } from "hono/html";
import type { Content, Named, Operation, Reply, Resolve } from "./described.ts";
import { membersOf, parameterList } from "./members.ts";
import { replyMessage, requestMessage, type Sent } from "./message.ts";
import { type Markup, prose } from "./prose.ts";

/** One operation: its description, needs, parameters, bodies, examples and refusals. */
export function operationSection(
  sent: Sent,
  ownRefusal: (codes: readonly string[]) => string,
  resolve: Resolve,
): Markup {
  const { method, path, operation } = sent;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const replies = Object.entries(operation.responses).map(([status, place]) =>
    [status, resolve(place)] as const
  );
  const refusals = replies.filter(([, reply]) => reply["x-problem-codes"]);
  const [status, success] = replies.find(([each]) => each === "201") ?? replies[0]!;
  return html`
    <section class="operation" id="${operationId}">
    <h3><a href="#${operationId}">${summary}</a></h3>
    <p class="route"><code><b>${method}</b> ${path}</code></p>
    <p class="needs">${needsOf(operation).map((need) =>
      html`
        <span>${need}</span>
      `
    )}</p>
    ${prose(description)}
    ${parameters.length === 0 ? "" : html`<h4>Parameters</h4>${parameterList(parameters, resolve)}`}
    ${bodies("Request body", requestBody?.content, resolve)}
    ${bodies("Reply", success.content, resolve)}
    <h4>Example</h4>
    ${examples(sent, status, success, resolve)}
    <h4>Refusals</h4>
    <dl class="refusals">${refusals.map(([each, { "x-problem-codes": codes = [] }]) =>
      html`
        <dt>${each}</dt>
        <dd>${codes.map((code) =>
          html`
            <a href="/docs/errors#${code}"><code>${code}</code></a>
          `
        )}</dd>
      `
    )}</dl>
    ${refusalExample(refusals, ownRefusal, resolve)}
    </section>
  `;
}

function needsOf({ security, parameters = [] }: Operation): string[] {
  const withToken = security.filter((one) => Object.hasOwn(one, "accessToken")).length;
  const has = (name: string) => parameters.some((parameter) => parameter.name === name);
  return [
    "client certificate",
    ...(withToken === 0 ? [] : [withToken === security.length ? "access token" : "access token, if sent"]),
    ...(has("Idempotency-Key") ? ["idempotency key"] : []),
    ...(has("X-JWS-Signature") ? ["signature"] : []),
  ];
}

function bodies(title: string, content: Named<Content> = {}, resolve: Resolve): Markup[] {
  return Object.entries(content).map(([mediaType, { schema }]) => {
    const forms = membersOf(schema, resolve).flatMap((form, at) =>
      at === 0 ? [form] : [html`<p>or</p>`, form]
    );
    const { description = "" } = resolve(schema);
    return html`<h4>${title} <span class="kind">${mediaType}</span></h4>${prose(description)}${
      forms.length === 0 ? "" : html`<details><summary>Members</summary>${forms}</details>`
    }`;
  });
}

/** Shows each reply with its request. Both examples have the same name. */
function examples(sent: Sent, status: string, success: Reply, resolve: Resolve): Markup[] {
  const [[requestType, request] = []] = Object.entries(sent.operation.requestBody?.content ?? {});
  return Object.entries(success.content ?? {}).flatMap(([mediaType, content]) => {
    const named = Object.entries(examplesOf(content));
    return named.map(([name, place]) => {
      const example = request?.examples?.[name];
      return html`<figure>${
        named.length > 1 ? html`<figcaption>${name.replaceAll("_", " ")}</figcaption>` : ""
      }${requestMessage(sent, requestType, example && resolve(example).value, name)}${
        replyMessage(status, mediaType, resolve(place).value)
      }</figure>`;
    });
  });
}

const examplesOf = ({ example, examples = {} }: Content) =>
  example === undefined ? examples : { example: { value: example } };

/**
 * Shows one refusal as an example. Chooses the refusal that the fewest operations share, because it is the
 * most specific to this operation.
 */
function refusalExample(
  refusals: readonly (readonly [string, Reply])[],
  ownRefusal: (codes: readonly string[]) => string,
  resolve: Resolve,
): Markup[] {
  const own = ownRefusal(refusals.flatMap(([, reply]) => reply["x-problem-codes"] ?? []));
  return refusals.flatMap(([status, { content = {} }]) => {
    const found = Object.entries(content).find(([, { examples }]) => examples?.[own]);
    return found ? [replyMessage(status, found[0], resolve(found[1].examples![own]!).value)] : [];
  });
}
