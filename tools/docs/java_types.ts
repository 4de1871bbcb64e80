// Writes the Java client's records from the OpenAPI document, so that a member of a schema is described once.
import { PROBLEM_REGISTRY, unitOfMember } from "@gold-partner/protocol";
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

interface Component {
  readonly name: string;
  readonly type: string;
  /** The member's name in JSON. */
  readonly member: string;
  readonly isRequired: boolean;
  readonly description: string;
}

const HEAD =
  "// Written by npm run docs from the schemas of the service. Do not edit.\npackage gold.partner;\n";
const LINE_MAX = 118;
const PRIMITIVES = ["long", "boolean"];
/** GoldException holds them, and exceptions are serializable. */
const SERIALIZABLE = ["FieldError"];

/** Returns the text of Api.java: the requests, the replies and the queries. */
export function writeJavaTypes(): string {
  const records = calledSchemas(schemasOf).map(([name, schema]) =>
    declare(name, schema, name.endsWith("Request") ? "request" : "reply", "  ")
  );
  const queries = [...calledQueries()].map(([name, schema]) => declare(name, schema, "query", "  "));
  return `${HEAD}
import java.io.Serializable;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;

/**
 * The requests and the replies of the API. Members that the service may leave out, and members that can be null,
 * are null. States and types of events are texts, because later versions add values.
 */
public final class Api {
  private Api() {}

  /** A page of a list, with the cursor of the next page. Null: there is no next page. */
  interface Page<T> {
    List<T> items();

    String nextCursor();
  }

${[...records, ...queries].join("\n")}}
`;
}

/** Returns the text of Problems.java: the facts that decide about the outcome of a write. */
export function writeJavaProblems(): string {
  const rules = Object.entries(PROBLEM_REGISTRY).map(([code, { binds_key, spends_nonce }]) =>
    `      Map.entry("${code}", new Rule("${binds_key}", "${spends_nonce}"))`
  );
  return `// Written by npm run docs from the registry that the service uses: see docs/errors.md. Do not edit.
package gold.partner;

import java.util.Map;

/** What a refusal says about a write. */
final class Problems {
  /**
   * The facts of a code.
   *
   * @param bindsKey whether every later request with the Idempotency-Key gets this refusal again: true, false, or
   *     order_quote_id for an order alone
   * @param spendsNonce whether a signed request's nonce is spent: true, false or unknown
   */
  record Rule(String bindsKey, String spendsNonce) {}

  static final Map<String, Rule> RULES = Map.ofEntries(
${rules.join(",\n")});

  private Problems() {}
}
`;
}

/** A Javadoc comment, wrapped. `tags` are lines such as `@param name text`. */
export function javadoc(text: string, tags: readonly string[], indent: string): string {
  const paragraphs = [
    ...text === "" ? [] : wrap(text, indent),
    ...tags.length > 0 && text !== "" ? [""] : [],
  ];
  const lines = [...paragraphs, ...tags.flatMap((tag) => wrap(tag, indent, "    "))];
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${
    lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")
  }${indent} */\n`;
}

function wrap(text: string, indent: string, hanging = ""): string[] {
  const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(
    /`([^`]*)`/g,
    "{@code $1}",
  );
  const lines: string[] = [];
  for (const word of escaped.split(" ")) {
    if (lines.length > 0 && `${indent} * ${lines.at(-1)} ${word}`.length <= LINE_MAX) {
      lines[lines.length - 1] += ` ${word}`;
    } else lines.push(lines.length === 0 ? word : hanging + word);
  }
  return lines;
}

/** Declares a record, with a record for each object inside it. */
function declare(name: string, schema: Schema, use: Use, indent: string): string {
  const inner = `${indent}  `;
  const nested: string[] = [];
  const components = Object.entries(schema.properties ?? {}).map(([member, each]): Component => {
    const { schema: actual, isNullable } = withoutNull(each);
    const isRequired = (schema.required ?? []).includes(member) && !isNullable;
    return {
      name: camelCase(member),
      member,
      isRequired,
      type: typeOf(
        actual,
        member,
        isRequired,
        (kind, object) => nested.push(declare(kind, object, use, inner)),
      ),
      description: each.description ?? `see {@link ${actual.$ref?.split("/").at(-1)}}`,
    };
  });
  const tags = components.map(({ name, description }) => `@param ${name} ${firstLower(description)}`);
  const doc = javadoc(schema.description ?? `${sentence(name)}.`, tags, indent);
  const list = components.map(({ type, name }) => `${type} ${name}`);
  const body = [constructorOf(name, components, use, inner), ...nested];
  const own = use === "reply"
    ? []
    : [shortConstructor(name, components, inner), ...withers(name, components, inner)];
  const parts = [...body, ...own].filter((part) => part !== "");
  const item = components.find(({ member }) => member === "items");
  const interfaces = [
    ...SERIALIZABLE.includes(name) ? ["Serializable"] : [],
    // `List<Order>` → `Page<Order>`
    ...item && components.some(({ member }) => member === "next_cursor")
      ? [item.type.replace("List", "Page")]
      : [],
  ];
  const implemented = interfaces.length === 0 ? "" : ` implements ${interfaces.join(", ")}`;
  return `${doc}${indent}public record ${name}(${
    parameters(list, indent, `public record ${name}(`)
  })${implemented} {${parts.length === 0 ? "" : `\n${parts.join("\n")}${indent}`}}\n`;
}

function parameters(list: readonly string[], indent: string, before: string): string {
  const line = list.join(", ");
  if (indent.length + before.length + line.length + 3 <= LINE_MAX) return line;
  return list.map((each) => `\n${indent}    ${each}`).join(",");
}

/** `nest` declares an object inside the record. */
function typeOf(
  schema: Schema,
  member: string,
  isRequired: boolean,
  nest: (name: string, schema: Schema) => void,
): string {
  const { $ref, type, format, items, properties } = schema;
  if ($ref) return $ref.split("/").at(-1)!;
  if (items) return `List<${typeOf(items, member.replace(/s$/, ""), false, nest)}>`;
  if (properties) {
    const name = pascalCase(member);
    nest(name, schema);
    return name;
  }
  if (type === "number") return "BigDecimal";
  if (type === "integer") return isRequired ? "long" : "Long";
  if (type === "boolean") return isRequired ? "boolean" : "Boolean";
  return format === "date-time" ? "Instant" : format === "date" ? "LocalDate" : "String";
}

/** Checks the members: a reply that lacks one is invalid, and so is a request. */
function constructorOf(name: string, components: readonly Component[], use: Use, indent: string): string {
  const checks = components.flatMap(({ name: own, member, type, isRequired }) => {
    const given = isRequired && !PRIMITIVES.includes(type);
    if (use === "reply") return given ? [`Json.required(${own}, "${member}");`] : [];
    const unit = type === "BigDecimal" ? unitOfMember(member) : undefined;
    const value = given ? `Call.given("${member}", ${own})` : own;
    if (unit !== undefined) {
      return [`${own} = Call.exact("${member}", ${value}, ${unit === "SAR" ? 2 : 4});`];
    }
    return given ? [`${own} = ${value};`] : [];
  });
  if (checks.length === 0) return "";
  return `${indent}public ${name} {\n${checks.map((check) => `${indent}  ${check}\n`).join("")}${indent}}\n`;
}

/** A constructor with the required members alone. */
function shortConstructor(name: string, components: readonly Component[], indent: string): string {
  const needed = components.filter(({ isRequired }) => isRequired);
  if (needed.length === components.length) return "";
  const list = needed.map(({ type, name }) => `${type} ${name}`).join(", ");
  const values = components.map(({ name, isRequired }) => isRequired ? name : "null").join(", ");
  const doc = javadoc("With the required members alone.", [], indent);
  return `${doc}${indent}public ${name}(${list}) {\n${indent}  this(${values});\n${indent}}\n`;
}

/** A method for each optional member, which returns a copy with a value. */
function withers(name: string, components: readonly Component[], indent: string): string[] {
  return components.filter(({ isRequired }) => !isRequired).map(({ name: own, type }) => {
    const parameter = type === "Long" ? "long" : type;
    const list = components.map((each) => each.name).join(", ");
    return `${
      javadoc(`Returns a copy with this {@code ${own}}.`, [], indent)
    }${indent}public ${name} ${own}(${parameter} ${own}) {
${indent}  return new ${name}(${list});
${indent}}
`;
  });
}

const firstLower = (text: string): string =>
  text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
