// Writes the methods of the C# client from the table of operations.
import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";
import { CALLED_OPERATIONS, camelCase, pascalCase, schemaName } from "./client_schemas.ts";
import { comment } from "./csharp_types.ts";

/** The clients call it so, because an order moves money at once. */
const RENAMED: Readonly<Partial<Record<OperationId, string>>> = { createOrder: "placeOrder" };
const INDENT = "    ";
/** The longest list of parameters on one line. */
const LINE_MAX = 106;
const CANCEL = {
  type: "CancellationToken",
  name: "cancellationToken",
  value: "default",
  description: "ends the call with the code aborted",
};

interface Parameter {
  readonly type: string;
  readonly name: string;
  /** The default value. */
  readonly value?: string;
  readonly description: string;
}

/** Returns the text of Operations.cs. */
export function writeCsharpOperations(): string {
  return `// Written by npm run docs from the operations of the service. Do not edit.
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner {
  // Codes that any call can have are not repeated at the methods: connection and TLS errors, timeouts, refusals of the
  // certificate, the address or the token, and rate limits. Any write can also fail with idempotency_key_conflict. All
  // tries of a write have the same Idempotency-Key, so it is executed once.
  public sealed partial class GoldClient {
${CALLED_OPERATIONS.map(method).join("\n")}  }
}
`;
}

function method(operation: OperationId): string {
  const endpoint = ENDPOINTS[operation];
  const { path, token, signature, idempotent, request, query } = endpoint;
  const name = `${pascalCase(RENAMED[operation] ?? operation)}Async`;
  const isList = operation.startsWith("list");
  const item = schemaName(endpoint.reply.schema).replace(isList ? /s$/ : /$^/, "");
  const ids: Parameter[] = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, id = ""]) => ({
    ...{ type: "string", name: camelCase(id) },
    description: "the id, as the service returned it",
  }));
  const body = request && bodyOf(request);
  const parameters: Parameter[] = [
    ...ids,
    ...body ? [body] : [],
    ...query ? [queryParameter(query)] : [],
    ...idempotent
      ? [{
        ...{ type: "string?", name: "idempotencyKey", value: "null" },
        description:
          "your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a " +
          "crash of your program. Without it, the call has a random key",
      }]
      : [],
    CANCEL,
  ];
  const doc = [
    comment("summary", `${endpoint.summary.replace(/\.?$/, ".")} ${endpoint.description}`, INDENT),
    ...parameters.map((each) => comment(`param name="${each.name}"`, each.description, INDENT)),
    comment(
      "returns",
      isList ? "the items of all pages, each fetched when it is needed" : "the reply",
      INDENT,
    ),
    ...endpoint.refusals.length === 0
      ? []
      : [comment(`exception cref="GoldException"`, endpoint.refusals.join(", "), INDENT)],
  ].join("");
  const list = parameters.map(({ type, name, value }) =>
    `${type} ${name}${value === undefined ? "" : ` = ${value}`}`
  );
  const target = ids.length === 0
    ? `"${path}"`
    : `$"${path.replace(/\{([a-z_]+)\}/g, (_, id: string) => `{Call.Id(${camelCase(id)})}`)}"`;
  if (isList) {
    const next = operation === "listEvents" ? "after" : "cursor";
    return `${doc}${INDENT}public IAsyncEnumerable<${item}> ${name}(\n${INDENT}    ${list.join(", ")}) =>
${INDENT}  new EachLoop<${item}>(() => ListAsync(
${INDENT}    "${operation}", ${target}, "${next}", query, json => new ${item}(json), cancellationToken));
`;
  }
  const settings = [
    ...body ? [`Body = ${contentOf(body)}`] : idempotent ? ["Body = Json.Write(null)"] : [],
    ...idempotent ? ["IdempotencyKey = Call.Key(idempotencyKey)"] : [],
    ...signature ? ["IsSigned = true"] : [],
    ...token === "required" ? [] : ["NeedsToken = false"],
  ];
  const call = `new Call("${operation}", ${query ? `Call.Path(${target}, query)` : target})${
    settings.length === 0
      ? ""
      : ` {\n${settings.map((each) => `${INDENT}    ${each},\n`).join("")}${INDENT}  }`
  }`;
  // The method is asynchronous, so that an invalid argument ends its task instead of throwing at once.
  const parts = list.join(", ").length < LINE_MAX ? list.join(", ") : list.join(`,\n${INDENT}    `);
  return `${doc}${INDENT}public async Task<${item}> ${name}(\n${INDENT}    ${parts}) {
${INDENT}  var call = ${call};
${INDENT}  return await CallAsync(call, json => new ${item}(json), cancellationToken).ConfigureAwait(false);
${INDENT}}
`;
}

const contentOf = ({ type, name }: Parameter): string =>
  type === "byte[]" ? `Call.Given("${name}", ${name})` : `Json.Write(Call.Given("${name}", ${name}))`;

function bodyOf(request: NonNullable<(typeof ENDPOINTS)[OperationId]["request"]>): Parameter | undefined {
  if (request.mediaType !== "application/json") {
    return { type: "byte[]", name: "body", description: "the body to sign" };
  }
  const name = schemaName(request.schema);
  return name === "EmptyRequest"
    ? undefined
    : { type: name, name: "request", description: "the members to send" };
}

/** A query can be left out if none of its members is required. */
function queryParameter(query: NonNullable<(typeof ENDPOINTS)[OperationId]["query"]>): Parameter {
  const { $defs = {} } = query.toJSONSchema({ io: "input" }) as {
    $defs?: Record<string, { required?: string[] }>;
  };
  const type = schemaName(query);
  const isOptional = ($defs[type]?.required ?? []).length === 0;
  return {
    type: isOptional ? `${type}?` : type,
    name: "query",
    ...isOptional ? { value: "null" } : {},
    description: isOptional ? "the part that you want; without it, everything" : "the part that you want",
  };
}
