import { html } from "hono/html";
import type { Parameter, Referable, Resolve, Schema } from "./described.ts";
import { inline, type Markup } from "./prose.ts";

/**
 * Returns one list for each form of object that the schema allows. A list shows the object's members, and
 * below each member its own members.
 */
export function membersOf(schema: Referable<Schema>, resolve: Resolve): Markup[] {
  return objectsIn(schema, resolve).map(({ properties = {}, required = [] }) =>
    html`<ul class="members">${
      Object.entries(properties).map(([name, member]) =>
        memberItem({ name, schema: member, required: required.includes(name) }, resolve)
      )
    }</ul>`
  );
}

export function parameterList(parameters: readonly Parameter[], resolve: Resolve): Markup {
  return html`<ul class="members">${parameters.map((parameter) => memberItem(parameter, resolve))}</ul>`;
}

interface Member {
  readonly name: string;
  readonly schema: Referable<Schema>;
  readonly required: boolean;
  /** Where a parameter is sent: path, query or header. */
  readonly in?: string;
  readonly description?: string;
}

function memberItem(member: Member, resolve: Resolve): Markup {
  const schema = resolve(member.schema);
  const description = member.description ?? schema.description;
  const kind = [member.in, typeOf(schema, resolve), ...(member.required ? [] : ["optional"])];
  return html`<li><code class="name">${member.name}</code> <span class="kind">${
    kind.filter(Boolean).join(", ")
  }</span>${description ? html`<div>${inline(description)}</div>` : ""}${boundsOf(schema)}${
    membersOf(schema, resolve)
  }</li>`;
}

function boundsOf({ minimum, maximum, maxLength, format, pattern }: Schema): Markup | string {
  const bounds = [
    ...(minimum === undefined ? [] : [`≥ ${minimum}`]),
    ...(maximum === undefined ? [] : [`≤ ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === undefined || format ? [] : [pattern]),
  ];
  return bounds.length === 0 ? "" : html`<div class="bounds">${bounds.join("  ")}</div>`;
}

function typeOf(place: Referable<Schema>, resolve: Resolve): string {
  const schema = resolve(place);
  const forms = schema.anyOf ?? (schema.type === undefined ? schema.oneOf : undefined);
  if (forms) return [...new Set(forms.map((form) => typeOf(form, resolve)))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const values = schema.enum ?? schema["x-extensible-enum"];
  if (values) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.items) return `list of ${typeOf(schema.items, resolve)}`;
  const type = [schema.type ?? "anything"].flat().join(" or ");
  return schema.format ? `${type} (${schema.format})` : type;
}

function objectsIn(place: Referable<Schema>, resolve: Resolve): Schema[] {
  const schema = resolve(place);
  if (schema.properties) return [schema];
  const inner = [...schema.items ? [schema.items] : [], ...schema.anyOf ?? [], ...schema.oneOf ?? []];
  return inner.flatMap((one) => objectsIn(one, resolve));
}
