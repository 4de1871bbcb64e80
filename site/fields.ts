import type { Described, Named, Parameter, Schema } from "./described.ts";

/** The words for a format. A format has a pattern, too, but no reader needs it. */
const FORMATS: Named<string> = {
  "date-time": "An instant in RFC 3339, such as 2026-01-31T09:30:00.000Z.",
  "date": "A calendar day, such as 2026-01-31.",
  "uri": "A URL.",
  "uri-reference": "A URL, possibly without a host.",
};

/** Shows the members of a schema's objects. A schema with several forms of object has one list for each. */
export function fieldsOf(schema: Schema, described: Described): string {
  return objectsIn(schema, described).map(({ properties = {}, required = [] }) =>
    list(
      Object.entries(properties).map(([name, member]) => ({
        name,
        schema: member,
        kind: required.includes(name) ? [] : ["optional"],
      })),
      described,
    )
  ).join("<p>or</p>");
}

export function parameterFields(parameters: readonly Parameter[], described: Described): string {
  return list(
    parameters.map(({ name, schema, description, required, in: place }) => ({
      name,
      schema: { ...schema, description },
      kind: [place, ...(required ? [] : ["optional"])],
    })),
    described,
  );
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly kind: readonly string[];
}

/** `v-pre` keeps VitePress from reading braces in a pattern. */
const list = (fields: readonly Field[], described: Described): string =>
  `<ul class="fields" v-pre>${fields.map((field) => item(field, described)).join("")}</ul>`;

function item({ name, schema, kind }: Field, described: Described): string {
  const target = { ...resolve(schema, described), ...schema };
  const words = [target.description ?? "", ...limitsOf(target)].filter(Boolean).join(" ");
  const { pattern, format } = target;
  const form = pattern && !format ? `<p class="pattern">Pattern: <code>${escape(pattern)}</code></p>` : "";
  const type = [typeOf(schema, described), ...kind].join(", ");
  return `<li><p><code>${escape(name)}</code> <span class="kind">${escape(type)}</span></p>` +
    `<p>${inline(words)}</p>${form}${fieldsOf(schema, described)}</li>`;
}

/** The limits of a value in words. */
function limitsOf({ minimum, maximum, maxLength, format = "", ...schema }: Schema): string[] {
  const figure = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 4 });
  const { default: usual } = schema;
  return [
    ...(FORMATS[format] ? [FORMATS[format]] : []),
    ...(minimum !== undefined && maximum !== undefined
      ? [`From ${figure(minimum)} to ${figure(maximum)}.`]
      : minimum === undefined
      ? []
      : [`At least ${figure(minimum)}.`]),
    ...(maxLength === undefined ? [] : [`At most ${maxLength} characters.`]),
    ...(usual === undefined ? [] : [`Default: ${usual}.`]),
  ];
}

function typeOf(place: Schema, described: Described): string {
  const schema = resolve(place, described);
  const forms = schema.anyOf ?? (schema.type === undefined ? schema.oneOf : undefined);
  if (forms) return [...new Set(forms.map((form) => typeOf(form, described)))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.items) return `list of ${typeOf(schema.items, described)}`;
  return [schema.type ?? "anything"].flat().join(" or ");
}

function objectsIn(place: Schema, described: Described): Schema[] {
  const schema = resolve(place, described);
  if (schema.properties) return [schema];
  const inner = [...schema.items ? [schema.items] : [], ...schema.anyOf ?? [], ...schema.oneOf ?? []];
  return inner.flatMap((one) => objectsIn(one, described));
}

function resolve(schema: Schema, { components }: Described): Schema {
  return schema.$ref ? components.schemas[schema.$ref.split("/").at(-1)!]! : schema;
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Converts the CommonMark that descriptions use inside a paragraph. */
export const inline = (text: string): string =>
  escape(text).replace(/`([^`]+)`/g, "<code>$1</code>").replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>");
