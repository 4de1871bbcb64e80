// Writes the C# client's types from the OpenAPI document, so that a member of a schema is described once.
import { type OperationId, PROBLEM_REGISTRY, unitOfMember } from "@gold-partner/protocol";
import {
  calledQueries,
  calledSchemas,
  camelCase,
  pascalCase,
  type Schema,
  schemasOf,
  sentence,
  type Use,
  withoutNull,
} from "./client_schemas.ts";

interface Property {
  readonly name: string;
  /** The member's name in JSON. */
  readonly member: string;
  readonly type: string;
  /** The reader of a member, as an expression. */
  readonly reader: string;
  readonly isRequired: boolean;
  readonly description: string;
}

const LINE_MAX = 118;
const INDENT = "    ";
/** The types whose values cannot be null. */
const VALUES = ["bool", "long", "decimal", "DateTime", "DateTimeOffset"];

/** Returns the text of Types.cs: the requests, the replies and the queries. */
export function writeCsharpTypes(): string {
  const types = calledSchemas(itemsOf).flatMap(([name, schema]) =>
    declare(name, schema, name.endsWith("Request") ? "request" : "reply")
  );
  const queries = [...calledQueries()].flatMap(([name, schema]) => declare(name, schema, "query"));
  return `// Written by npm run docs from the schemas of the service. Do not edit.
using System;
using System.Collections.Generic;
using System.Text.Json;

namespace GoldPartner {
${[...types, ...queries].join("\n")}}
`;
}

/** Returns the text of Problems.cs: the facts that decide about the outcome of a write. */
export function writeCsharpProblems(): string {
  const rules = Object.entries(PROBLEM_REGISTRY).map(([code, { binds_key, spends_nonce }]) =>
    `${INDENT}    ["${code}"] = ("${binds_key}", "${spends_nonce}"),\n`
  );
  return `// Written by npm run docs from the registry that the service uses: see docs/errors.md. Do not edit.
using System.Collections.Generic;

namespace GoldPartner {
  /// <summary>What a refusal says about a write.</summary>
  internal static class Problems {
    /// <summary>
    /// BindsKey: whether every later request with the Idempotency-Key gets this refusal again: true, false, or
    /// order_quote_id for an order alone. SpendsNonce: whether a signed request's nonce is spent: true, false or
    /// unknown.
    /// </summary>
    public static readonly Dictionary<string, (string BindsKey, string SpendsNonce)> Rules =
      new Dictionary<string, (string BindsKey, string SpendsNonce)> {
${rules.join("")}      };
  }
}
`;
}

/** An element of an XML comment, wrapped. */
export function comment(element: string, text: string, indent: string): string {
  const [name] = element.split(" ");
  const escaped = text.replace(/&/g, "&amp;").replace(/<(?!see cref)/g, "&lt;")
    .replace(/`([^`]*)`/g, "<c>$1</c>");
  const line = `${indent}/// <${element}>${escaped}</${name}>`;
  if (line.length <= LINE_MAX) return `${line}\n`;
  const lines = [`<${element}>`, "", `</${name}>`];
  for (const word of escaped.split(" ")) {
    const longer = lines.at(-2) === "" ? word : `${lines.at(-2)} ${word}`;
    if (`${indent}/// ${longer}`.length <= LINE_MAX) lines[lines.length - 2] = longer;
    else lines.splice(-1, 0, word);
  }
  return lines.map((each) => `${indent}/// ${each}\n`).join("");
}

/** As schemasOf(), but a list returns the items of its pages. */
const itemsOf = (operation: OperationId): string[] =>
  schemasOf(operation).map((name) => operation.startsWith("list") ? name.replace(/s$/, "") : name);

/** Declares a class, and a class for each object inside it, whose name begins with the name of this one. */
function declare(name: string, schema: Schema, use: Use): string[] {
  const nested: string[] = [];
  const properties = Object.entries(schema.properties ?? {}).map(([member, each]): Property => {
    const { schema: actual, isNullable } = withoutNull(each);
    const nest = (inner: string, object: Schema) => {
      nested.push(...declare(`${name}${inner}`, object, use));
      return `${name}${inner}`;
    };
    return {
      // A property cannot have the name of its class.
      name: pascalCase(member) === name ? "Value" : pascalCase(member),
      member,
      isRequired: (schema.required ?? []).includes(member) && !isNullable,
      ...typeOf(actual, member, nest),
      description: each.description ?? `See <see cref="${actual.$ref?.split("/").at(-1)}"/>`,
    };
  });
  const implemented = use === "reply" ? "" : use === "query" ? " : IQuery" : " : IRequest";
  const parts = use === "reply" ? [readerOf(name, properties)] : [constructorOf(name, properties)];
  const own = `${
    comment("summary", ended(schema.description ?? sentence(name)), "  ")
  }  public sealed class ${name}${implemented} {
${
    [...parts, properties.map((each) => propertyOf(each, use)).join("")].filter((part) => part !== "").join(
      "\n",
    )
  }${use === "reply" ? "" : `\n${use === "query" ? parametersOf(properties) : writerOf(properties)}`}  }
`;
  return [own, ...nested];
}

/** `nest` declares an object inside the type, and returns its name. */
function typeOf(
  schema: Schema,
  member: string,
  nest: (name: string, schema: Schema) => string,
): Pick<Property, "type" | "reader"> {
  const { $ref, type, format, items, properties } = schema;
  if (items) {
    const each = typeOf(items, member.replace(/s$/, ""), nest);
    return { type: `IReadOnlyList<${each.type}>`, reader: `Json.List(${each.reader})` };
  }
  if ($ref || properties) {
    const name = $ref ? $ref.split("/").at(-1)! : nest(pascalCase(member), schema);
    return { type: name, reader: `Json.Object(each => new ${name}(each))` };
  }
  if (type === "number") return { type: "decimal", reader: "Json.Decimal" };
  if (type === "integer") return { type: "long", reader: "Json.Integer" };
  if (type === "boolean") return { type: "bool", reader: "Json.Flag" };
  if (format === "date-time") return { type: "DateTimeOffset", reader: "Json.Instant" };
  return format === "date"
    ? { type: "DateTime", reader: "Json.Date" }
    : { type: "string", reader: "Json.Text" };
}

/** The constructor of a reply, which refuses a reply without a required member. */
function readerOf(name: string, properties: readonly Property[]): string {
  const lines = properties.map(({ name, member, type, reader, isRequired }) => {
    const method = isRequired ? "Get" : VALUES.includes(type) ? "FindValue" : "Find";
    return `${INDENT}  ${name} = json.${method}("${member}", ${reader});\n`;
  });
  return `${INDENT}internal ${name}(Json json) {\n${lines.join("")}${INDENT}}\n`;
}

/** The constructor of a request or a query with the required members. */
function constructorOf(name: string, properties: readonly Property[]): string {
  const needed = properties.filter(({ isRequired }) => isRequired);
  if (needed.length === 0) return "";
  const [names, values] = [needed.map((each) => each.name), needed.map(({ member }) => camelCase(member))];
  const list = needed.map(({ type, member }) => `${type} ${camelCase(member)}`).join(", ");
  const body = needed.length === 1
    ? ` ${names[0]} = ${values[0]}`
    : `\n${INDENT}  (${names.join(", ")}) = (${values.join(", ")})`;
  return `${comment("summary", "With the required members alone.", INDENT)}${
    needed.map(({ member, description }) => comment(`param name="${camelCase(member)}"`, description, INDENT))
      .join("")
  }${INDENT}public ${name}(${list}) =>${body};\n`;
}

function propertyOf({ name, type, isRequired, description }: Property, use: Use): string {
  const declared = isRequired ? type : `${type}?`;
  return `${comment("summary", ended(description), INDENT)}${INDENT}public ${declared} ${name} { get;${
    use === "reply" ? "" : " set;"
  } }\n`;
}

function parametersOf(properties: readonly Property[]): string {
  const list = properties.map(({ name, member }) => `${INDENT}  ("${member}", ${name}),\n`).join("");
  return `${INDENT}IReadOnlyList<(string Name, object? Value)> IQuery.Parameters => new (string, object?)[] {
${list}${INDENT}};
`;
}

/** Writes a request. It refuses a required member that is null, and a quantity with too many decimals. */
function writerOf(properties: readonly Property[]): string {
  const lines = properties.map(({ name, member, type, isRequired }) => {
    const unit = type === "decimal" ? unitOfMember(member) : undefined;
    const method = type === "string" ? "WriteString" : type === "bool" ? "WriteBoolean" : "WriteNumber";
    const value = unit !== undefined
      ? `Call.${unit === "SAR" ? "Sar" : "Grams"}("${member}", ${isRequired ? name : camelCase(member)})`
      : isRequired
      ? (VALUES.includes(type) ? name : `Call.Given("${member}", ${name})`)
      : camelCase(member);
    const given = isRequired ? "" : `if (${name} is ${type} ${camelCase(member)}) `;
    const inside = type.startsWith("IReadOnlyList<")
      ? ["Array", `foreach (var each in ${value}) json.WriteStringValue(each);`]
      : type.endsWith("Request")
      ? ["Object", `((IRequest)${value}).Write(json);`]
      : undefined;
    if (inside === undefined) return `${INDENT}  ${given}json.${method}("${member}", ${value});\n`;
    const [form, write] = inside;
    const lines = [`json.WriteStart${form}("${member}");`, write, `json.WriteEnd${form}();`];
    return `${INDENT}  ${given}{\n${lines.map((line) => `${INDENT}    ${line}\n`).join("")}${INDENT}  }\n`;
  });
  return `${INDENT}void IRequest.Write(Utf8JsonWriter json) {\n${lines.join("")}${INDENT}}\n`;
}

const ended = (text: string): string => text.replace(/\.?$/, ".");
