import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";
import type { Described, Parameter } from "./described.ts";

/**
 * Fields of the token's form. The secret is read from its file, because other users of the machine can read
 * the arguments of a command.
 */
const FORM: Readonly<Record<string, string>> = {
  client_id: '--data-urlencode "client_id=$CLIENT_ID"',
  client_secret: "--data-urlencode client_secret@client_secret",
};

/**
 * Returns the call of an operation with curl. The command uses variables and functions that the quickstart
 * set in the same shell. An id in capitals is a variable that holds the id of an earlier reply.
 */
export function curlSample(operation: OperationId, { paths }: Described): string {
  const { method, path, token, idempotent, signature, request } = ENDPOINTS[operation];
  const { parameters = [] } = paths[path]![method.toLowerCase()]!;
  const target = withVariables(path) + queryOf(parameters);
  const [body] = Object.values(request?.examples ?? {});
  const isForm = request?.mediaType === "application/x-www-form-urlencoded";
  const content = isForm || body === undefined
    ? undefined
    : bodyOf(body as Readonly<Record<string, unknown>>);
  const options = [
    ...(token === "none" || token === "checked" ? [] : ["-H @token.txt"]),
    ...(signature ? ["-H @signed.txt"] : []),
    ...(idempotent ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(content === undefined ? [] : ['-H "Content-Type: application/json"', '--data-binary "$BODY"']),
    ...(isForm
      ? Object.entries(body as object).map(([name, value]) => FORM[name] ?? `-d ${name}=${value}`)
      : []),
  ];
  const lines = [
    'curl -sS --cacert "$CA" --cert tls.crt --key tls.key',
    `"$BASE_URL${target}"`,
    ...inPairs(options),
  ];
  return [
    ...(content === undefined ? [] : [`BODY=${content}`]),
    ...(signature ? [`sign ${method} ${target} "$BODY"`] : []),
    lines.join(" \\\n  "),
  ].join("\n");
}

/** `/v1/orders/{order_id}` → `/v1/orders/$ORDER_ID`. */
const withVariables = (path: string): string =>
  path.replace(/\{([a-z_]+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);

function queryOf(parameters: readonly Parameter[]): string {
  const sent = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const words = sent.map(({ name, schema }) => `${name}=${schema.examples?.[0] ?? ""}`);
  return words.length === 0 ? "" : `?${words.join("&")}`;
}

/** The body as a word of the shell. An id in it is a variable, so the word has double quotes. */
function bodyOf(body: Readonly<Record<string, unknown>>): string {
  const ids = Object.keys(body).filter((name) => name.endsWith("_id"));
  if (ids.length === 0) return `'${JSON.stringify(body)}'`;
  const named = { ...body, ...Object.fromEntries(ids.map((name) => [name, `$${name.toUpperCase()}`])) };
  return `"${JSON.stringify(named).replaceAll('"', '\\"')}"`;
}

function inPairs(options: readonly string[]): string[] {
  return options.flatMap((_, index) => index % 2 === 1 ? [] : [options.slice(index, index + 2).join(" ")]);
}
