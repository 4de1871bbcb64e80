// Writes the methods of the Java client from the table of operations.
import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";
import { CALLED_OPERATIONS, camelCase, schemaName } from "./client_schemas.ts";
import { javadoc } from "./java_types.ts";

/** The clients call it so, because an order moves money at once. */
const RENAMED: Readonly<Partial<Record<OperationId, string>>> = { createOrder: "placeOrder" };
const INDENT = "  ";
const LINE_MAX = 112;

/** Returns the text of Operations.java. */
export function writeJavaOperations(): string {
  return `// Written by npm run docs from the operations of the service. Do not edit.
package gold.partner;

import java.util.Map;
import java.util.UUID;

/**
 * The operations of the API. Codes that any call can have are not repeated at the methods: connection and TLS errors,
 * timeouts, refusals of the certificate, the address or the token, and rate limits. Any write can also fail with
 * {@code idempotency_key_conflict}.
 *
 * <p>Each write has a second method that takes your own Idempotency-Key. Store the key before the call if the write
 * must survive a crash of your program. All tries of a write have the same key, so it is executed once.
 */
public abstract class Operations {
  Operations() {}

  abstract <T> T call(Call call, Class<T> type);

  abstract <T> Listing<T> list(
      String operation, String path, String next, Object query, Class<? extends Api.Page<T>> type);

${CALLED_OPERATIONS.map(methods).join("\n")}}
`;
}

interface Parameter {
  readonly type: string;
  readonly name: string;
  readonly description: string;
}

function methods(operation: OperationId): string {
  const endpoint = ENDPOINTS[operation];
  const { path, method, token, signature, idempotent, request, query } = endpoint;
  const reply = `Api.${schemaName(endpoint.reply.schema)}`;
  const name = RENAMED[operation] ?? operation;
  const ids: Parameter[] = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, id = ""]) => ({
    ...{ type: "String", name: camelCase(id) },
    description: `the id, as the service returned it`,
  }));
  const body = request && bodyOf(request);
  const search: Parameter | undefined = query && {
    ...{ type: `Api.${schemaName(query)}`, name: "query", description: "the part that you want" },
  };
  const target = ids.length === 0
    ? `"${path}"`
    : `"${path.replace(/\{([a-z_]+)\}/g, (_, id: string) => `" + Call.id(${camelCase(id)}) + "`)}"`.replace(
      / \+ ""$/,
      "",
    );
  const adjusted = (token === "required" ? "" : ".withoutToken()") + (signature ? ".asSigned()" : "");
  const doc = (parameters: readonly Parameter[], more = "") =>
    javadoc(`${endpoint.summary.replace(/\.?$/, ".")} ${endpoint.description}${more}`, [
      ...parameters.map((each) => `@param ${each.name} ${each.description}`),
      `@return ${name.startsWith("list") ? "the items" : "the reply"}`,
      ...endpoint.refusals.length === 0
        ? []
        : [`@throws GoldException ${endpoint.refusals.map((code) => `\`${code}\``).join(", ")}`],
    ], INDENT);
  const declare = (result: string, parameters: readonly Parameter[], lines: string, more = "") =>
    `${doc(parameters, more)}${INDENT}public ${result} ${name}(${
      parameters.map(({ type, name }) => `${type} ${name}`).join(", ")
    }) {\n${INDENT}  ${lines}\n${INDENT}}\n`;
  if (name.startsWith("list")) return listMethods(operation, declare, search!);
  if (!idempotent) {
    const parameters = [...ids, ...body ? [body] : [], ...search ? [search] : []];
    const place = search ? `Call.target(${target}, query)` : target;
    const call = method === "POST"
      ? `Call.post("${operation}", ${place}, ${body!.name})`
      : `Call.get("${operation}", ${place})`;
    const whole = declare(reply, parameters, statement("call", [`${call}${adjusted}`, `${reply}.class`]));
    return search && optional(query!)
      ? `${declare(reply, [], `return ${name}(new ${search.type}());`)}\n${whole}`
      : whole;
  }
  const parameters = [...ids, ...body ? [body] : []];
  const key = {
    type: "String",
    name: "idempotencyKey",
    description: "your own key: 1 to 255 visible ASCII characters",
  };
  const names = [...parameters.map(({ name }) => name), "UUID.randomUUID().toString()"].join(", ");
  const call = `Call.write("${operation}", ${target}, ${
    body?.name ?? "Map.of()"
  }, idempotencyKey)${adjusted}`;
  return `${declare(reply, parameters, `return ${name}(${names});`)}
${INDENT}/** The same with your own Idempotency-Key. */
${INDENT}public ${reply} ${name}(${
    [...parameters, key].map(({ type, name }) => `${type} ${name}`).join(", ")
  }) {
${INDENT}  ${statement("call", [call, `${reply}.class`])}
${INDENT}}
`;
}

/** A statement that returns what a method returns, on several lines if it is long. */
function statement(method: string, words: readonly string[]): string {
  const line = `return ${method}(${words.join(", ")});`;
  if (line.length <= LINE_MAX) return line;
  return `return ${method}(${words.map((word) => `\n${INDENT}      ${broken(word)}`).join(",")});`;
}

/** Puts the last method of a long expression on its own line. */
const broken = (word: string): string =>
  word.length <= LINE_MAX - 8 ? word : word.replace(/\.\w+\(\)$/, (last) => `\n${INDENT}          ${last}`);

type Declare = (result: string, parameters: readonly Parameter[], lines: string) => string;

function listMethods(operation: OperationId, declare: Declare, search: Parameter): string {
  const { path, reply } = ENDPOINTS[operation];
  const page = `Api.${schemaName(reply.schema)}`;
  const result = `Listing<Api.${schemaName(reply.schema).replace(/s$/, "")}>`;
  const next = operation === "listEvents" ? "after" : "cursor";
  const words = [`"${operation}"`, `"${path}"`, `"${next}"`, "query"];
  const list = statement("list", [...words, `${page}.class`]);
  return `${declare(result, [], `return ${operation}(new ${search.type}());`)}\n${
    declare(result, [search], list)
  }`;
}

function bodyOf(request: NonNullable<(typeof ENDPOINTS)[OperationId]["request"]>): Parameter | undefined {
  if (request.mediaType !== "application/json") {
    return { type: "byte[]", name: "body", description: "the body to sign" };
  }
  const name = schemaName(request.schema);
  return name === "EmptyRequest"
    ? undefined
    : { type: `Api.${name}`, name: "request", description: "the members to send" };
}

/** Whether no member of a query is required. */
function optional(query: NonNullable<(typeof ENDPOINTS)[OperationId]["query"]>): boolean {
  const { $defs = {} } = query.toJSONSchema({ io: "input" }) as {
    $defs?: Record<string, { required?: string[] }>;
  };
  return ($defs[schemaName(query)]?.required ?? []).length === 0;
}
