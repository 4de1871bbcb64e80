// The fields of schemas as Markdown lists. Patterns, long lists of values and the fields of nested objects
// are folded.
import type { Json } from "@gold-partner/protocol";
import type { Described, Named, Parameter, Schema } from "./described.ts";

/** The words for a format. A format has a pattern, too, but no reader needs it. */
const FORMATS: Named<string> = {
  "date-time": "An instant in RFC 3339, such as 2026-01-31T09:30:00.000Z.",
  "date": "A calendar day, such as 2026-01-31.",
  "uri": "A URL.",
  "uri-reference": "A URL, possibly without a host.",
};
/** More values than this are folded. */
const VALUES_SHOWN_MAX = 4;

/** Lists the fields of a schema's objects. A schema with several forms of object has one list for each. */
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
  ).join("\n\nor\n\n");
}

export function parameterFields(parameters: readonly Parameter[], described: Described): string {
  return list(
    parameters.map(({ name, schema, description, required }) => ({
      name,
      schema: { ...schema, description },
      kind: required ? [] : ["optional"],
    })),
    described,
  );
}

/** An empty line ends HTML, so the Markdown between the tags is rendered. */
export const fold = (summary: string, text: string): string =>
  `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`;

/** Wraps Markdown, so that the style can select it. */
export const block = (name: string, ...parts: string[]): string =>
  `<div class="${name}">\n\n${parts.join("\n\n")}\n\n</div>`;

/** Escapes what Markdown would read as a tag. Code in it stays as it is. */
export const words = (text: string): string =>
  text.split(/(`[^`]*`)/).map((part, at) => at % 2 === 1 ? part : part.replaceAll("<", "&lt;")).join("");

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly kind: readonly string[];
}

const list = (fields: readonly Field[], described: Described): string =>
  block("fields", ...fields.map((field) => `- ${item(field, described).replaceAll(/\n(?=.)/g, "\n  ")}`));

function item({ name, schema, kind }: Field, described: Described): string {
  const target = { ...resolve(schema, described), ...schema };
  const { description = "", pattern, format } = target;
  const [label, values] = valuesOf(target, described);
  const shown = values.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  const isLong = values.length > VALUES_SHOWN_MAX;
  const inner = fieldsOf(schema, described);
  return [
    `\`${name}\` *${[typeOf(target, described), ...kind].join(", ")}*`,
    [words(description), ...limitsOf(target), ...(shown && !isLong ? [`${label}: ${shown}.`] : [])]
      .filter(Boolean).join(" "),
    ...(isLong ? [fold(`${label} (${values.length})`, shown)] : []),
    ...(pattern && !format ? [fold("Pattern", `\`${pattern}\``)] : []),
    ...(inner === "" ? [] : [fold(`Fields of ${name}`, inner)]),
  ].filter(Boolean).join("\n\n");
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

/** The values that a member may have: all of them, or those that are known so far. */
function valuesOf(schema: Schema, described: Described): readonly [label: string, values: readonly Json[]] {
  const known = schema["x-extensible-enum"];
  if (known) return ["Values so far", known];
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values) return ["Values", values];
  const forms = schema.anyOf?.map((form) => valuesOf(resolve(form, described), described)) ?? [];
  return forms.find(([, found]) => found.length > 0) ?? ["Values", []];
}

function typeOf(place: Schema, described: Described): string {
  const schema = resolve(place, described);
  const forms = schema.anyOf ?? (schema.type === undefined ? schema.oneOf : undefined);
  if (forms) return [...new Set(forms.map((form) => typeOf(form, described)))].join(" or ");
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
