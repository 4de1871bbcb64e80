// What the generators of the Java and the C# client read of the OpenAPI document.
import { ENDPOINTS, openApiDocument, type OperationId, operationsOf } from "@gold-partner/protocol";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Members;
  readonly required?: readonly string[];
  readonly description?: string;
}
type Members = Readonly<Record<string, Schema>>;
/** The caller makes a request and a query. The client makes a reply from JSON. */
export type Use = "request" | "reply" | "query";

/** The operations for which a client has a generated method. Streams are written by hand. */
export const CALLED_OPERATIONS: readonly OperationId[] = operationsOf("sandbox").filter((operation) =>
  (ENDPOINTS[operation].token !== "none" || operation === "getHealth") &&
  !ENDPOINTS[operation].reply.mediaType
);

/** `gold_grams` → `goldGrams`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `gold_grams` → `GoldGrams`. */
export const pascalCase = (name: string): string => camelCase(`_${name}`);

/** `PriceRange` → `Price range`. */
export const sentence = (name: string): string =>
  name.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The OpenAPI name of a schema. A request's schema may be a pipe, whose object has the name. */
export function schemaName(schema: { toJSONSchema(options: { io: "input" }): object }): string {
  const { $ref = "" } = schema.toJSONSchema({ io: "input" }) as Schema;
  return $ref.split("/").at(-1)!;
}

/** The schemas of requests and replies, each after its name. `schemasOf` names those of an operation. */
export function calledSchemas(schemasOf: (operation: OperationId) => string[]): [string, Schema][] {
  const options = { baseUrl: "https://localhost:8443", environment: "sandbox" } as const;
  const { components: { schemas } } = openApiDocument(options) as unknown as {
    readonly components: { readonly schemas: Members };
  };
  const names = CALLED_OPERATIONS.flatMap(schemasOf).filter((name) => name !== "EmptyRequest");
  return reachable(["WebhookEvent", "FieldError", ...names], schemas).map((name) => [name, schemas[name]!]);
}

/** The names of the schemas of an operation's request and reply. */
export function schemasOf(operation: OperationId): string[] {
  const { request, reply } = ENDPOINTS[operation];
  const sent = request?.mediaType === "application/json" ? [schemaName(request.schema)] : [];
  return [...sent, schemaName(reply.schema)];
}

/** The schemas of queries, by their names. */
export function calledQueries(): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const { query } of CALLED_OPERATIONS.map((operation) => ENDPOINTS[operation])) {
    if (!query) continue;
    const name = schemaName(query);
    const { $defs = {} } = query.toJSONSchema({ io: "input" }) as { $defs?: Members };
    found.set(name, $defs[name]!);
  }
  return found;
}

/** Removes `null` from the types of a schema. Of a number that may be a string, too, the number remains. */
export function withoutNull(schema: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  const { anyOf = [], type } = schema;
  const others = anyOf.filter((each) => each.type !== "null");
  if (others.length < anyOf.length) return { schema: others[0]!, isNullable: true };
  if (Array.isArray(type)) {
    const [one] = type.filter((each) => each !== "null");
    return { schema: { ...schema, type: one! }, isNullable: type.includes("null") };
  }
  return { schema, isNullable: false };
}

/** Adds the schemas to which these refer. */
function reachable(names: readonly string[], schemas: Members): string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, next] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      visit(next!);
    }
  };
  for (const name of names) visit(name);
  return [...found].sort();
}
