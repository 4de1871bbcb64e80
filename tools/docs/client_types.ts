// Writes the client's TypeScript types from the OpenAPI document, so that a member of a schema is described
// once. The types are plain interfaces: a partner reads them without knowing the schema library.
import { spawnSync } from "node:child_process";
import {
  ENDPOINTS,
  openApiDocument,
  type OperationId,
  operationsOf,
  type QuantityUnit,
  TOKEN_PROBLEM_REGISTRY,
  unitOfMember,
} from "@gold-partner/protocol";
import { findRuntimes } from "../test/runtimes.ts";
import { ROOT } from "../test/tier.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Members;
  readonly required?: readonly string[];
  readonly "x-extensible-enum"?: readonly string[];
  /** The member of `data` that an event of each type has. */
  readonly "x-subjects"?: Readonly<Record<string, string | null>>;
  /** The members of the subject that an event of some types has. */
  readonly "x-subject-members"?: Readonly<Record<string, readonly string[]>>;
  readonly description?: string;
}
type Members = Readonly<Record<string, Schema>>;
/** Where a schema is used. A request accepts more types for a member than a reply has. A query is text. */
type Use = "reply" | "body" | "query";

/** Renamed, because `Event` would hide the global type `Event` of browsers and Deno. */
const RENAMED: Readonly<Record<string, string>> = { Event: "AccountEvent", Events: "AccountEvents" };
const QUANTITIES: Readonly<Record<QuantityUnit, string>> = { SAR: "Sar", g: "Grams", "SAR/g": "SarPerGram" };
const PREFIX = "#/components/schemas/";
const LINE_MAX = 110;

const HEAD = "// Written by npm run docs from the schemas of the service. Do not edit.\n";
const IMPORTS = 'import type { Grams, Sar, SarPerGram } from "./quantity.ts";\n';

/** Returns the text of packages/client/src/api_types.ts. */
export function writeClientTypes(): string {
  const schemas = describedSchemas();
  const called = operationsOf("sandbox").filter((operation) =>
    ENDPOINTS[operation].token !== "none" || operation === "getHealth"
  );
  const operations = called.filter((operation) => !ENDPOINTS[operation].reply.mediaType);
  const names = reachable(["WebhookEvent", ...operations.flatMap(schemasOf)], schemas);
  const cases = new Map<string, string>();
  const types = names.map((name) =>
    name.endsWith("Request") ? declare(name, schemas[name]!, "body") : declareReply(
      name,
      schemas[name]!,
      Object.fromEntries(names.map((each) => [each, schemas[each]!])),
      cases,
    )
  );
  return format([HEAD + IMPORTS, ...types, ...queriesOf(called), repliesOf(operations)].join("\n"));
}

/** Returns the text of packages/client/src/error_types.ts. */
export function writeClientErrorTypes(): string {
  const codes = Object.keys(TOKEN_PROBLEM_REGISTRY).map((code) => `| ${JSON.stringify(code)}\n`);
  return format([
    HEAD,
    declare("FieldError", describedSchemas()["FieldError"]!, "reply"),
    "/** The codes of the service's errors, as docs/errors.md explains them. */",
    `export type ServiceErrorCode = ${codes.join("")};`,
  ].join("\n"));
}

function describedSchemas(): Members {
  const { components } = openApiDocument({
    baseUrl: "https://localhost:8443",
    environment: "sandbox",
  }) as unknown as { readonly components: { readonly schemas: Members } };
  return components.schemas;
}

/** The names of the schemas of an operation's request and reply. */
function schemasOf(operation: OperationId): string[] {
  const { request, reply } = ENDPOINTS[operation];
  const bodies = request?.mediaType === "application/json" ? [request.schema, reply.schema] : [reply.schema];
  return bodies.map(idOf).filter((id) => id !== "EmptyRequest");
}

/** The OpenAPI name of a schema. A request's schema may be a pipe, whose object has the name. */
function idOf(schema: { toJSONSchema(options: { io: "input" }): object }): string {
  const { $ref = "" } = schema.toJSONSchema({ io: "input" }) as Schema;
  return $ref.split("/").at(-1)!;
}

/** Adds the schemas to which these refer. */
function reachable(names: readonly string[], schemas: Members): string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const text = JSON.stringify(schemas[name]);
    for (const [, next] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) visit(next!);
  };
  for (const name of names) visit(name);
  return [...found].sort();
}

function declare(id: string, schema: Schema, use: Use): string {
  const name = RENAMED[id] ?? id;
  const doc = comment(schema.description);
  if (schema.oneOf && schema.properties) return `${doc}export type ${name} = ${alternatives(schema)};\n`;
  if (schema.properties) return `${doc}export interface ${name} ${members(schema, use)}\n`;
  return `${doc}export type ${name} = ${typeOf(schema, use)};\n`;
}

/**
 * Declares a reply without repeating another one: an interface extends the largest one whose members it all
 * has, and the cases of a union that another union has, too, are declared once. `cases` has their names.
 */
function declareReply(id: string, schema: Schema, others: Members, cases: Map<string, string>): string {
  const alternatives = alternativesOf(schema, others);
  const [shared, rest] = alternatives.length > 1 ? splitUnion(alternatives, "reply") : [];
  const doc = comment(schema.description);
  if (shared && rest) {
    const name = RENAMED[id] ?? id;
    const known = cases.get(rest);
    const own = known ?? `${name}Case`;
    cases.set(rest, own);
    const declared = known ? "" : `/** What depends on the type. */\ntype ${own} = ${rest};\n\n`;
    return `${declared}${doc}export type ${name} = ${shared} & ${own};\n`;
  }
  const { properties = {}, required } = schema;
  const [base] = Object.entries(others).filter(([other, { properties: members = {} }]) =>
    other !== id && Object.keys(members).length > 2 &&
    Object.keys(members).length < Object.keys(properties).length &&
    Object.keys(members).every((name) => memberText(schema, name) === memberText(others[other]!, name))
  ).sort(([, a], [, b]) => Object.keys(b.properties!).length - Object.keys(a.properties!).length);
  if (!base) return declare(id, schema, "reply");
  const added = Object.entries(properties).filter(([name]) => !(name in base[1].properties!));
  const own = members({ properties: Object.fromEntries(added), ...(required ? { required } : {}) }, "reply");
  return `${doc}export interface ${RENAMED[id] ?? id} extends ${RENAMED[base[0]] ?? base[0]} ${own}\n`;
}

/** The kinds of events that are known today, by their subject. A check of `type` narrows an event to one of them. */
function alternativesOf(schema: Schema, others: Members): Schema[] {
  const { properties = {}, required = [], "x-subjects": subjects = {}, "x-subject-members": parts = {} } =
    schema;
  const { properties: data = {} } = others[nameOf(properties["data"]?.$ref ?? "")] ?? {};
  const kindOf = (type: string) => JSON.stringify([subjects[type], parts[type]]);
  const kinds = new Set(Object.keys(subjects).map(kindOf));
  return [...kinds].map((kind) => {
    const types = Object.keys(subjects).filter((type) => kindOf(type) === kind);
    const [subject, part] = [subjects[types[0]!] ?? undefined, parts[types[0]!]];
    const names = [...subject === undefined ? [] : [subject], "chain_head"];
    const own = pick(data, names);
    if (subject !== undefined && part) own[subject] = onlyWith(others[nameOf(data[subject]!.$ref!)]!, part);
    const narrowed = {
      type: { ...properties["type"], enum: types },
      data: { properties: own, required: names },
    };
    return { properties: { ...properties, ...narrowed }, required };
  });
}

const pick = (members: Members, names: readonly string[]): Record<string, Schema> =>
  Object.fromEntries(names.map((name) => [name, members[name]!]));

const onlyWith = ({ properties = {}, description = "" }: Schema, names: readonly string[]): Schema => ({
  properties: pick(properties, names),
  required: names,
  description,
});

const memberText = ({ properties = {}, required = [] }: Schema, name: string): string =>
  JSON.stringify([properties[name], required.includes(name)]);

/** A request with exactly one of several members, which `oneOf` lists. */
function alternatives({ properties = {}, required, oneOf = [] }: Schema): string {
  const choices = oneOf.map(({ required: [choice] = [] }) => choice!);
  const common = Object.keys(properties).filter((name) => !choices.includes(name));
  const one = choices.map((choice) => {
    const others = choices.filter((name) => name !== choice).map((name) => `readonly ${name}?: undefined;\n`);
    const chosen = members({ properties: pick(properties, [choice]), required: [choice] }, "body");
    return chosen.replace(/\}$/, `${others.join("")}}`);
  });
  if (common.length === 0) return one.join(" | ");
  const shared = members({ properties: pick(properties, common), ...(required ? { required } : {}) }, "body");
  return `${shared} & (${one.join(" | ")})`;
}

function members(schema: Schema, use: Use, unit?: QuantityUnit): string {
  const { properties = {}, required = [] } = schema;
  const lines = Object.entries(properties).map(([name, member]) => {
    const type = typeOf(member, use, unitOfMember(name) ?? unit);
    const declared = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return `${comment(member.description)}${use === "reply" ? "" : "readonly "}${declared};\n`;
  });
  return `{\n${lines.join("")}}`;
}

/** `unit` is the unit of numbers whose name does not give one. */
function typeOf(schema: Schema, use: Use, unit?: QuantityUnit): string {
  const { $ref, anyOf, oneOf = anyOf, items, properties, type = "" } = schema;
  if ($ref) return nameOf($ref);
  // The alternatives of a quantity in a request say nothing that its types do not say.
  if (oneOf && !Array.isArray(type)) return union(oneOf, use, unit);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema["x-extensible-enum"]) return openUnion(schema["x-extensible-enum"]);
  if (items) return `Array<${typeOf(items, use, unit)}>`;
  if (properties) return properties["account"]?.enum ? posting(schema) : members(schema, use, unit);
  return [type].flat().map((one) => scalar(one, use, unit)).join(" | ");
}

function union(schemas: readonly Schema[], use: Use, unit?: QuantityUnit): string {
  const [shared, rest] = splitUnion(schemas, use, unit);
  return shared ? `${shared} & (${rest})` : rest;
}

/** Returns the members that are the same in every alternative, and the alternatives without these members. */
function splitUnion(
  schemas: readonly Schema[],
  use: Use,
  unit?: QuantityUnit,
): [shared: string | undefined, rest: string] {
  const [first, ...others] = schemas as [Schema, ...Schema[]];
  const common = others.length === 0
    ? []
    : Object.keys(first.properties ?? {}).filter((name) =>
      others.every((other) => memberText(other, name) === memberText(first, name))
    );
  const only = (schema: Schema, keep: (name: string) => boolean): string => {
    const kept = Object.entries(schema.properties!).filter(([name]) => keep(name));
    return members({ ...schema, properties: Object.fromEntries(kept) }, use, unit);
  };
  if (common.length === 0) return [undefined, schemas.map((schema) => typeOf(schema, use, unit)).join(" | ")];
  return [
    only(first, (name) => common.includes(name)),
    schemas.map((schema) => only(schema, (name) => !common.includes(name))).join(" | "),
  ];
}

const nameOf = (ref: string): string => {
  const id = ref.slice(PREFIX.length);
  return RENAMED[id] ?? id;
};

/** These values, or one that is added later. */
const openUnion = (values: readonly string[]): string =>
  `${values.map((value) => JSON.stringify(value)).join(" | ")} | (string & Record<never, never>)`;

function scalar(type: string, use: Use, unit: QuantityUnit | undefined): string {
  if (type !== "number" && type !== "integer") return type;
  const number = unit === undefined ? "number" : QUANTITIES[unit];
  return use === "query" ? `${number} | string` : number;
}

/**
 * The member `account` decides the unit of the numbers in its object, so there is one alternative per unit.
 */
function posting(schema: Schema): string {
  const accounts = schema.properties!["account"]!.enum!;
  return [...new Set(accounts.map(unitOfMember))].map((unit) => {
    const account = { enum: accounts.filter((each) => unitOfMember(each) === unit) };
    return members({ ...schema, properties: { ...schema.properties, account } }, "reply", unit);
  }).join(" | ");
}

/** The queries of these operations. */
function queriesOf(operations: readonly OperationId[]): string[] {
  const queries = new Map<string, string>();
  for (const { query } of operations.map((operation) => ENDPOINTS[operation])) {
    if (!query) continue;
    const name = idOf(query);
    const { $defs = {} } = query.toJSONSchema({ io: "input" }) as { $defs?: Members };
    queries.set(name, declare(name, $defs[name]!, "query"));
  }
  return [...queries.values()];
}

function repliesOf(operations: readonly OperationId[]): string {
  const lines = operations.map((operation) => {
    const id = idOf(ENDPOINTS[operation].reply.schema);
    return `${operation}: ${RENAMED[id] ?? id};\n`;
  });
  return `/** The reply of each operation, by the operation's name in the OpenAPI document. */\nexport interface Replies {\n${
    lines.join("")
  }}\n`;
}

/** A documentation comment, wrapped as this repository wraps comments. */
function comment(text: string | undefined): string {
  if (text === undefined) return "";
  if (text.length <= LINE_MAX - 10) return `/** ${text} */\n`;
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1)!.length + word.length > LINE_MAX - 8) lines.push("");
    lines[lines.length - 1] += ` ${word}`;
  }
  return `/**\n${lines.map((line) => ` *${line}\n`).join("")} */\n`;
}

function format(text: string): string {
  const { stdout, stderr, status } = spawnSync(findRuntimes(ROOT).deno, ["fmt", "--ext", "ts", "-"], {
    cwd: ROOT,
    input: text,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`deno fmt refuses the generated types: ${stderr}`);
  return stdout;
}
