// The page of one operation: its words first, then its fields and errors, with samples beside them.
import {
  ENDPOINTS,
  type Json,
  type OperationId,
  problemCodesOf,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "@gold-partner/protocol";
import { curlSample } from "./curl_sample.ts";
import type { Content, Described, Named, Operation } from "./described.ts";
import { block, fieldsOf, fold, parameterFields, words } from "./fields.ts";
import { SAMPLES } from "./samples.ts";
import { typedSample } from "./typed_samples.ts";

/** The place of an operation's page: createOrder is at reference/create_order.md. */
export const placeOf = (operation: OperationId): string =>
  `reference/${operation.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.md`;

/** Wide pages have the text on the left, the samples beside it and the outline on the right. */
export const page = (title: string, ...parts: string[]): string =>
  `---\npageClass: reference\n---\n\n# ${title}\n\n${parts.join("\n\n")}\n`;

export const code = (language: string, text: string, title = ""): string =>
  `\`\`\`${language}${title && ` [${title}]`}\n${text}\n\`\`\``;
export const json = (value: Json): string => code("json", JSON.stringify(value, null, 2));

export function operationPage(operation: Operation, described: Described): string {
  const { operationId, summary, description, responses } = operation;
  const { method, path } = ENDPOINTS[operationId];
  const reply = responses["201"] ?? responses["200"]!;
  const { content = {} } = reply;
  return page(
    summary,
    block(
      "operation",
      block(
        "words",
        block("route", `**${method}** \`${path}\` *${namesOf(operationId).join(", ")}*`),
        words(description),
        needsOf(operationId),
      ),
      block("samples", ...samplesOf(operationId, content, described)),
      block(
        "details",
        ...requestOf(operation, described),
        "## Reply",
        words(reply.description),
        ...bodiesOf(content, described),
        "## Errors",
        ...errorsOf(operationId),
      ),
    ),
  );
}

/** The operation's id, and the name of its method in the clients if that is another. */
function namesOf(operation: OperationId): string[] {
  const calls = SAMPLES[operation]?.typescript.matchAll(/\bclient\.(\w+)\(/g) ?? [];
  return [...new Set([operation, ...[...calls].map(([, name]) => name!).slice(-1)])];
}

function needsOf(operation: OperationId): string {
  const { token, idempotent, signature, sandboxOnly } = ENDPOINTS[operation];
  const needs = [
    "a client certificate",
    ...(token === "required" ? ["an [access token](/reference/issue_token.md)"] : []),
    ...(idempotent ? ["an [Idempotency-Key](/idempotency.md)"] : []),
    ...(signature ? ["a [signature](/signing.md)"] : []),
  ];
  const listed = needs.length === 1 ? needs[0]! : `${needs.slice(0, -1).join(", ")} and ${needs.at(-1)}`;
  return `Needs ${listed}.${sandboxOnly ? " Only in the sandbox." : ""}`;
}

function requestOf({ parameters = [], requestBody }: Operation, described: Described): string[] {
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const [headers, shown] = [of("header"), [["Path", of("path")], ["Query", of("query")]] as const];
  const parts = [
    ...shown.flatMap(([title, some]) =>
      some.length === 0 ? [] : [`### ${title}`, parameterFields(some, described)]
    ),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([mediaType, { schema }]) => {
      const fields = fieldsOf(schema, described);
      return fields === "" ? [] : ["### Body", `\`${mediaType}\``, fields];
    }),
    ...(headers.length === 0 ? [] : [
      "### Headers",
      fold(headers.map(({ name }) => `<code>${name}</code>`).join(", "), parameterFields(headers, described)),
    ]),
  ];
  return parts.length === 0 ? [] : ["## Request", ...parts];
}

function bodiesOf(content: Named<Content>, described: Described): string[] {
  return Object.entries(content).flatMap(([mediaType, { schema }]) =>
    [`\`${mediaType}\``, fieldsOf(schema, described)].filter(Boolean)
  );
}

function errorsOf(operation: OperationId): string[] {
  const { refusals } = ENDPOINTS[operation];
  const others = problemCodesOf(ENDPOINTS[operation]).filter((one) => !refusals.includes(one));
  return [
    "[Errors](/errors.md) explains the cause of each code and what to do.",
    ...(refusals.length > 0 ? [errorList(refusals)] : []),
    fold(`${others.length} errors that other operations have, too`, errorList(others)),
  ];
}

function errorList(codes: readonly TokenProblemCode[]): string {
  const lines = codes.map((one) => {
    const { status, title, retryable } = TOKEN_PROBLEM_REGISTRY[one];
    return `- ${status} [\`${one}\`](/errors.md#${one}): ${words(title)}. *${
      retryable ? "Retry." : "Do not retry."
    }*`;
  });
  return block("errors", lines.join("\n"));
}

const TYPED = [["java", "Java"], ["csharp", "C#"]] as const;

function samplesOf(operation: OperationId, content: Named<Content>, described: Described): string[] {
  const { typescript, python } = SAMPLES[operation] ?? {};
  const tabs = [
    code("sh", curlSample(operation, described), "curl"),
    ...(typescript ? [code("ts", typescript, "TypeScript")] : []),
    ...(python ? [code("python", python, "Python")] : []),
    ...TYPED.flatMap(([language, title]) => {
      const sample = typedSample(operation, language);
      return sample ? [code(language, sample, title)] : [];
    }),
  ];
  return [
    "## Sample",
    `::: code-group\n\n${tabs.join("\n\n")}\n\n:::`,
    "The curl sample continues in the shell of the [quickstart](/quickstart.md). " +
    "[Samples](/reference/index.md#samples) says what the others need.",
    ...Object.entries(content).flatMap(([mediaType, { example, examples = {} }]) => {
      const value = example ?? Object.values(examples)[0]?.value;
      if (value === undefined) return [];
      return [
        `The reply as \`${mediaType}\`:`,
        typeof value === "string" ? code("text", value.trimEnd()) : json(value),
      ];
    }),
  ];
}
