// The pages of the reference: conventions, one page for each operation, a list for each group, and the webhooks.
// They are made from the API description, so a new operation appears by itself.
import { ENDPOINTS, type Json, openApiDocument } from "@gold-partner/protocol";
import type { Content, Described, Operation } from "./described.ts";
import { block, fieldsOf, fold, parameterFields, words } from "./fields.ts";
import type { SiteFiles } from "./guides.ts";
import { code, json, operationPage, page, placeOf } from "./operation_page.ts";

const FOLDER = "reference";

/** The API description of the sandbox, because production lacks some of its operations. */
const described = openApiDocument({
  baseUrl: "https://gold.example",
  environment: "sandbox",
}) as unknown as Described;

export const { info } = described;
const operations = Object.values(described.paths).flatMap((methods) => Object.values(methods));
const events = Object.entries(described.webhooks);
const linkTo = (place: string) => `/${place.replace(/\.md$/, "")}`;
const anchorOf = (event: string) => event.replaceAll(".", "-");

interface Item {
  readonly text: string;
  readonly link: string;
  /** The text of a link at the end of another page. */
  readonly docFooterText?: string;
  readonly items?: readonly Item[];
}

/** The sidebar of the reference, in the order in which a partner needs the groups. */
export const referenceGroups: readonly Item[] = [
  ...described.tags.map(({ name }) => ({
    text: name,
    link: linkTo(`${FOLDER}/${name.toLowerCase()}`),
    items: operationsIn(name).map(({ operationId, summary }) => ({
      text: `<span class="method">${ENDPOINTS[operationId].method}</span>${summary}`,
      link: linkTo(placeOf(operationId)),
      docFooterText: summary,
    })),
  })),
  {
    text: "Webhooks",
    link: linkTo(`${FOLDER}/webhooks`),
    items: events.map(([type]) => ({ text: type, link: `/${FOLDER}/webhooks#${anchorOf(type)}` })),
  },
];

export function referencePages(): SiteFiles {
  return new Map([
    [`${FOLDER}/index.md`, conventionsPage()],
    ...described.tags.map(({ name, description }) =>
      [
        `${FOLDER}/${name.toLowerCase()}.md`,
        // An earlier version of the site had the operations on this page. Each still has its address here.
        page(name, words(description), operationList(name, ({ operationId }) => ` {#${operationId}}`)),
      ] as const
    ),
    [`${FOLDER}/webhooks.md`, webhooksPage()],
    ...operations.map((one) => [placeOf(one.operationId), operationPage(one, described)] as const),
  ]);
}

function operationsIn(tag: string): readonly Operation[] {
  return operations.filter(({ tags }) => tags.includes(tag));
}

/** Links to the operations of a group. */
function operationList(tag: string, suffix: (operation: Operation) => string = () => ""): string {
  const lines = operationsIn(tag).map((operation) => {
    const { method, path } = ENDPOINTS[operation.operationId];
    const link = `[${operation.summary}](/${placeOf(operation.operationId)})`;
    return `- **${method}** ${link} \`${path}\`${suffix(operation)}`;
  });
  return block("operations", lines.join("\n"));
}

/** Links to all operations, by group. */
export const allOperations = (): string =>
  block(
    "groups",
    ...described.tags.map(({ name }) =>
      block("group", `### [${name}](/${FOLDER}/${name.toLowerCase()}.md)`, operationList(name))
    ),
    block("group", `### [Webhooks](/${FOLDER}/webhooks.md)`, "Each event that is sent to your endpoint."),
  );

/** The example of an order and its reply, as they are sent. */
export function orderExchange(): { readonly request: string; readonly reply: string } {
  const { method, path } = ENDPOINTS.createOrder;
  const { parameters = [], requestBody, responses } = operations.find((one) =>
    one.operationId === "createOrder"
  )!;
  const [[mediaType, sent]] = Object.entries(requestBody!.content) as [[string, Content]];
  const [[replyType, got]] = Object.entries(responses["201"]!.content!) as [[string, Content]];
  const [[name, { value }]] = Object.entries(sent.examples!) as [[string, { readonly value: Json }]];
  const headers = parameters.map((one) => `${one.name}: ${one.examples?.[name]?.value}`);
  return {
    request: code(
      "http",
      [
        `${method} ${path} HTTP/1.1`,
        "Authorization: Bearer eyJ…",
        ...headers,
        `Content-Type: ${mediaType}`,
        "",
        JSON.stringify(value),
      ].join("\n"),
    ),
    reply: code(
      "http",
      `HTTP/1.1 201 Created\nContent-Type: ${replyType}\n\n${
        JSON.stringify(got.examples![name]!.value, null, 2)
      }`,
    ),
  };
}

function conventionsPage(): string {
  const sections = described.info.description.replace(/^\*\*(.+?)\.?\*\*/gm, "## $1\n\n")
    // Keep the bold word in the text, too, if it is the subject of the sentence: "**Instants** are".
    .replace(/^## (\w+)\n\n (\w)/gm, "## $1\n\n$2");
  return page(
    "Conventions",
    sections,
    `## Samples

Each operation has samples in curl, TypeScript, Python, Java and C#. The project's tests execute all of them. The Java
and the C# client get tokens by themselves, and have no method for the token and for the documents of Discovery.

- curl: run the steps of the [quickstart](/quickstart.md) first, and continue in the same shell. It has the variables
  \`BASE_URL\`, \`CA\` and \`CLIENT_ID\`, the functions \`call\`, \`post\`, \`member\`, \`new_key\` and \`sign\`, and
  files with your certificate, key and token. When the token has expired, run \`get_token\`.
- [TypeScript](/typescript.md) and [Python](/python.md): each sample is a whole program. \`GOLD_CREDENTIALS\` is the
  path of your \`credentials.json\`. The client handles mutual TLS, tokens, signatures and retries.
- [Java](/java.md) and [C#](/csharp.md): the lines below the imports stand in \`main\` or in
  \`static async Task Main()\`.`,
  );
}

function webhooksPage(): string {
  const [, { post: { description, parameters, responses, requestBody } }] = events[0]!;
  const { schema } = requestBody.content["application/json"]!;
  return page(
    "Webhooks",
    words(description),
    "The [guide](/webhooks.md) shows how to verify and process them, with receivers in four languages.",
    "## Headers",
    parameterFields(parameters, described),
    "## Body",
    fieldsOf({ ...schema }, described),
    "## Your reply",
    Object.entries(responses).sort().map(([status, one]) => `- ${status}: ${words(one.description)}`).join(
      "\n",
    ),
    "## Events",
    ...events.flatMap(([type, { post }]) => {
      const { value } = Object.values(post.requestBody.content["application/json"]!.examples!)[0]!;
      const headers = post.parameters.map(({ name, example }) => `${name}: ${example}`).join("\n");
      const sent = `POST /your/endpoint HTTP/1.1\n${headers}\n\n${JSON.stringify(value)}`;
      return [
        `### ${type} {#${anchorOf(type)}}`,
        words(post.summary),
        fold("Example", `${json(value)}\n\nAs it is sent:\n\n${code("http", sent)}`),
      ];
    }),
  );
}
