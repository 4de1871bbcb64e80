import { ENDPOINTS, type Json, type OperationId } from "@gold-partner/protocol";
import type { Described, Parameter } from "./described.ts";

/** As many characters as the column of the samples shows on one line at a width of 1440 pixels. */
export const COLUMN_MAX = 58;

/**
 * Fields of the token's form. The secret is read from its file, because other users of the machine can read
 * the arguments of a command.
 */
const FORM: Readonly<Record<string, string>> = {
  client_id: '--data-urlencode "client_id=$CLIENT_ID"',
  client_secret: "--data-urlencode client_secret@client_secret",
};
/** What the sample needs, because a reader may copy it without the page. */
const FIRST_LINE = "# In the shell of the quickstart, after its steps 1 to 8:";
const BREAK = " \\\n  ";

/**
 * Returns the call of an operation with curl. It runs in the shell of the quickstart, with the variables and
 * functions that the quickstart sets. If the operation needs an id, the sample gets one first.
 */
export function curlSample(operation: OperationId, described: Described): string {
  const { method, path, token, idempotent, signature, request, reply } = ENDPOINTS[operation];
  const parameters = parametersOf(operation, described);
  const target = withVariables(path) + queryOf(parameters);
  const body = exampleOf(operation);
  const isForm = request?.mediaType === "application/x-www-form-urlencoded";
  const content = isForm || body === undefined ? undefined : bodyOf(body);
  const options = [
    // A stream does not end by itself.
    ...(reply.mediaType === "text/event-stream" ? ["--no-buffer --max-time 5"] : []),
    ...(token === "none" || token === "checked" ? [] : ["-H @token.txt"]),
    ...(signature ? ["-H @signed.txt"] : []),
    ...(idempotent ? ['-H "Idempotency-Key: $KEY"'] : []),
    ...(content === undefined ? [] : ['-H "Content-Type: application/json"', '--data-binary "$BODY"']),
    ...(isForm
      ? Object.entries(body as object).map(([name, value]) => FORM[name] ?? `-d ${name}=${value}`)
      : []),
  ];
  return [
    FIRST_LINE,
    ...idsIn(operation, described).map((id) => `${firstGet(operation, id, described)}\n`),
    ...(idempotent ? ["# Store the key first. A retry sends the same key.", "KEY=$(new_key)"] : []),
    ...(content === undefined ? [] : [`BODY=${content}`]),
    ...(signature ? [`sign ${method} ${target} "$BODY"`] : []),
    inLines(['curl -sS --cacert "$CA" --cert tls.crt --key tls.key', `"$BASE_URL${target}"`, ...options]),
  ].join("\n");
}

interface Id {
  /** The name of the parameter or member, such as quote_id. */
  readonly name: string;
  /** The beginning of each such id, such as qt_. */
  readonly prefix: string;
}

const parametersOf = (operation: OperationId, { paths }: Described): readonly Parameter[] => {
  const { method, path } = ENDPOINTS[operation];
  return paths[path]![method.toLowerCase()]!.parameters ?? [];
};

/** Less than in the examples, so that the money of the quickstart is enough for all samples. */
const SMALLER: Partial<Record<OperationId, Json>> = {
  createQuote: { gold_grams: 0.25 },
  createWithdrawal: { amount_sar: 50 },
};

function exampleOf(operation: OperationId): Json | undefined {
  const example = Object.values(ENDPOINTS[operation].request?.examples ?? {})[0] as Json | undefined;
  const smaller = SMALLER[operation];
  return smaller ? { ...example as object, ...smaller as object } : example;
}

/** The ids that a request needs, in its path or its body. */
function idsIn(operation: OperationId, described: Described): Id[] {
  const sent = [
    ...parametersOf(operation, described).filter((one) => one.in === "path").map((one) =>
      [one.name, one.example] as const
    ),
    ...Object.entries(exampleOf(operation) ?? {}),
  ];
  return sent.flatMap(([name, value]) => {
    const [prefix] = /^[a-z]+_(?=[0-9a-f]+(-|$))/.exec(`${value}`) ?? [];
    return prefix ? [{ name, prefix }] : [];
  });
}

/**
 * The commands that set the variable of an id. A read uses the newest or first item of a list. A write needs an
 * object that is still open, so the sample makes a new one.
 */
function firstGet(operation: OperationId, { name, prefix }: Id, described: Described): string {
  const { method, path, tag } = ENDPOINTS[operation];
  const sources = Object.keys(ENDPOINTS).map((id) => id as OperationId).flatMap((id) => {
    const [, member] = new RegExp(`"([a-z_]*id)":"${prefix}`).exec(JSON.stringify(replyOf(id))) ?? [];
    const needsId = idsIn(id, described).some((one) => one.prefix === prefix);
    return member && !needsId ? [{ id, member, ...ENDPOINTS[id] }] : [];
  });
  const reads = sources.filter((one) => one.method === "GET" && path.startsWith(`${one.path}/`));
  const writes = sources.filter((one) => one.idempotent);
  const source = (method === "GET" ? reads : []).at(0) ?? writes.find((one) => one.tag === tag) ??
    writes[0] ??
    reads[0];
  if (!source) throw new Error(`No operation returns an id for the parameter ${name} of ${operation}.`);
  const isList = parametersOf(source.id, described).some((one) => one.name === "limit");
  return [
    ...(source.idempotent ? writeOf(source.id, described) : [
      inLines([`call GET ${isList ? `"${source.path}?limit=1"` : source.path}`, "-H @token.txt"]),
    ]),
    `${name.toUpperCase()}=$(member ${source.member})`,
  ].join("\n");
}

const replyOf = (operation: OperationId): Json =>
  Object.values(ENDPOINTS[operation].reply.examples)[0] as Json ?? null;

/** The call of a write with the quickstart's function `post`, and with no more members than it needs. */
function writeOf(operation: OperationId, described: Described): string[] {
  const { path, signature, idempotent } = ENDPOINTS[operation];
  if (!idempotent) throw new Error(`${operation} is not a write.`);
  const ids = idsIn(operation, described).map((id) => firstGet(operation, id, described));
  const { reference: _, account_label: __, ...needed } = exampleOf(operation) as Record<string, Json>;
  if (!signature) return [...ids, inLines([`post ${path} ${bodyOf(needed)}`, '"$(new_key)"'])];
  return [
    ...ids,
    `BODY=${bodyOf(needed)}`,
    `sign POST ${path} "$BODY"`,
    inLines([`post ${path} "$BODY" "$(new_key)"`, "-H @signed.txt"]),
  ];
}

/** `/v1/orders/{order_id}` → `/v1/orders/$ORDER_ID`. */
const withVariables = (path: string): string =>
  path.replace(/\{([a-z_]+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);

function queryOf(parameters: readonly Parameter[]): string {
  const sent = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const words = sent.map(({ name, schema }) => `${name}=${schema.examples?.[0] ?? ""}`);
  return words.length === 0 ? "" : `?${words.join("&")}`;
}

/** The body as a word of the shell. An id in it is a variable. */
function bodyOf(body: Json): string {
  const names = Object.keys(body as object).filter((name) => name.endsWith("_id"));
  const named = { ...body as object, ...Object.fromEntries(names.map((name) => [name, "%s"])) };
  const oneLine = JSON.stringify(named);
  const text = oneLine.length < COLUMN_MAX - "BODY=''".length ? oneLine : JSON.stringify(named, null, 2);
  if (names.length === 0) return `'${text}'`;
  const variables = names.map((name) => `"$${name.toUpperCase()}"`).join(" ");
  const word = `$(printf '${text}' ${variables})`;
  return word.length < COLUMN_MAX - "BODY=".length ? word : `$(printf '${text}'${BREAK}${variables})`;
}

/** Joins the words of a command, and breaks it so that each line fits the column. */
function inLines(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const joined = `${last} ${word}`;
    // The address of a request is on a line of its own.
    const isOpen = last !== undefined && !last.startsWith("curl") && !last.startsWith('"$BASE_URL');
    if (isOpen && joined.length + BREAK.length < COLUMN_MAX) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines.join(BREAK);
}
