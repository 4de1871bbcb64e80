// The pages of the reference. They are made from the table of operations, so a new operation appears by
// itself.
import {
  ENDPOINTS,
  type Json,
  openApiDocument,
  type OperationId,
  problemCodesOf,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "@gold-partner/protocol";
import { curlSample } from "./curl_sample.ts";
import type { Described, Operation } from "./described.ts";
import { fieldsOf, inline, parameterFields } from "./fields.ts";
import type { SiteFiles } from "./guides.ts";
import { SAMPLES } from "./samples.ts";

const FOLDER = "reference";

/** The API description of the sandbox, because production lacks some of its operations. */
const described = openApiDocument({
  baseUrl: "https://gold.example",
  environment: "sandbox",
}) as unknown as Described;

/** The pages of the reference in the order in which a partner needs them. */
export const referenceGroups: { readonly text: string; readonly link: string }[] = [
  ...described.tags.map(({ name }) => ({ text: name, link: `/${FOLDER}/${name.toLowerCase()}` })),
  { text: "Webhooks", link: `/${FOLDER}/webhooks` },
];

export function referencePages(): SiteFiles {
  return new Map([
    [`${FOLDER}/index.md`, conventionsPage()],
    [`${FOLDER}/webhooks.md`, webhooksPage()],
    ...described.tags.map(({ name, description }) =>
      [`${FOLDER}/${name.toLowerCase()}.md`, groupPage(name, description)] as const
    ),
  ]);
}

/** Wide pages have the text on the left and the samples on the right. */
const page = (title: string, ...parts: string[]): string =>
  `---\naside: false\npageClass: reference\n---\n\n# ${title}\n\n${parts.join("\n\n")}\n`;

/** An empty line ends HTML, and the Markdown between the tags is rendered. */
const beside = (text: string, samples: string): string =>
  `<div class="operation"><div>\n\n${text}\n\n</div><div class="samples">\n\n${samples}\n\n</div></div>`;

const code = (language: string, text: string, title = ""): string =>
  `\`\`\`${language}${title && ` [${title}]`}\n${text}\n\`\`\``;
const json = (value: Json): string => code("json", JSON.stringify(value, null, 2));

function conventionsPage(): string {
  const sections = described.info.description.replace(/^\*\*(.+?)\.?\*\*/gm, "## $1\n\n")
    // Keep the bold word in the text, too, if it is the subject of the sentence: "**Instants** are".
    .replace(/^## (\w+)\n\n (\w)/gm, "## $1\n\n$2");
  return page(
    "Conventions",
    sections,
    `## Samples

Each operation has samples in three languages. The project's tests execute all of them.

- curl: run the steps of the [quickstart](/quickstart) first, and continue in the same shell. It has the variables
  \`BASE_URL\`, \`CA\` and \`CLIENT_ID\`, the functions \`call\`, \`post\`, \`member\`, \`new_key\` and \`sign\`, and
  files with your certificate, key and token. When the token has expired, run \`get_token\`.
- [TypeScript](/typescript) and [Python](/python): each sample is a whole program. \`GOLD_CREDENTIALS\` is the
  path of your \`credentials.json\`. The client handles mutual TLS, tokens, signatures and retries.`,
  );
}

function groupPage(tag: string, description: string): string {
  const operations = Object.values(described.paths).flatMap((methods) => Object.values(methods))
    .filter(({ tags }) => tags.includes(tag));
  return page(tag, description, ...operations.map(operationSection));
}

function operationSection(operation: Operation): string {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const { method, path, refusals } = ENDPOINTS[operationId];
  const reply = operation.responses["201"] ?? operation.responses["200"]!;
  const contents = Object.entries(requestBody?.content ?? {});
  const all = problemCodesOf(ENDPOINTS[operationId]);
  const others = all.filter((one) => !refusals.includes(one));
  const text = [
    `<p class="route"><span class="method">${method}</span> <code>${path}</code> <span class="kind">${operationId}</span></p>`,
    `<p class="needs">${needsOf(operationId).map((need) => `<span>${need}</span>`).join(" ")}</p>`,
    description,
    ...(parameters.length > 0 ? ["**Parameters**", parameterFields(parameters, described)] : []),
    ...contents.flatMap(([mediaType, { schema }]) => bodyFields(`Body: ${mediaType}`, schema)),
    ...Object.entries(reply.content ?? {}).flatMap(([mediaType, { schema }]) =>
      bodyFields(`Reply: ${mediaType}`, schema)
    ),
    ...(refusals.length > 0 ? ["**Errors of this operation**", errorList(refusals)] : []),
    `<details><summary>Errors of every such request</summary>${errorList(others)}</details>`,
  ];
  return `## ${summary} {#${operationId}}\n\n${
    beside(text.join("\n\n"), samplesOf(operationId, reply.content ?? {}))
  }`;
}

function bodyFields(title: string, schema: Parameters<typeof fieldsOf>[0]): string[] {
  const fields = fieldsOf(schema, described);
  return fields === "" ? [] : [`**${title}**`, fields];
}

function needsOf(operation: OperationId): string[] {
  const { token, idempotent, signature, sandboxOnly } = ENDPOINTS[operation];
  return [
    "client certificate",
    ...(token === "none" ? [] : [token === "required" ? "access token" : "access token, if sent"]),
    ...(idempotent ? ["idempotency key"] : []),
    ...(signature ? ["signature"] : []),
    ...(sandboxOnly ? ["sandbox only"] : []),
  ];
}

const errorList = (codes: readonly TokenProblemCode[]): string =>
  `<ul class="errors">${
    codes.map((one) => {
      const { status, title } = TOKEN_PROBLEM_REGISTRY[one];
      return `<li>${status} <a href="/errors.html#${one}"><code>${one}</code></a>: ${inline(title)}</li>`;
    }).join("")
  }</ul>`;

function samplesOf(
  operation: OperationId,
  content: NonNullable<Operation["responses"][string]["content"]>,
): string {
  const { typescript, python } = SAMPLES[operation] ?? {};
  const tabs = [
    code("sh", curlSample(operation, described), "curl"),
    ...(typescript ? [code("ts", typescript, "TypeScript")] : []),
    ...(python ? [code("python", python, "Python")] : []),
  ];
  const [example] = Object.values(content["application/json"]?.examples ?? {});
  return [
    `::: code-group\n\n${tabs.join("\n\n")}\n\n:::`,
    ...(example ? ["The reply:", json(example.value)] : []),
  ].join("\n\n");
}

function webhooksPage(): string {
  const events = Object.entries(described.webhooks);
  const [, { post: { description, parameters, responses, requestBody } }] = events[0]!;
  const { schema } = requestBody.content["application/json"]!;
  return page(
    "Webhooks",
    description,
    "The [guide](/webhooks) shows how to verify and process them, with receivers in four languages.",
    "## Headers",
    parameterFields(parameters, described),
    "## Your reply",
    `<ul class="errors">${
      Object.entries(responses).sort().map(([status, one]) =>
        `<li>${status}: ${inline(one.description)}</li>`
      )
        .join("")
    }</ul>`,
    ...events.map(([type, { post }]) => {
      const { value } = Object.values(post.requestBody.content["application/json"]!.examples!)[0]!;
      const headers = post.parameters.map(({ name, example }) => `${name}: ${example}`).join("\n");
      return `## ${type} {#${type.replaceAll(".", "-")}}\n\n${
        beside(
          post.summary,
          code("http", `POST /your/endpoint HTTP/1.1\n${headers}\n\n${JSON.stringify(value)}`),
        )
      }`;
    }),
    "## Fields",
    fieldsOf({ ...schema }, described),
  );
}
