import { STATUS_CODES } from "node:http";
import type { Json } from "@gold-partner/protocol";
import { html } from "hono/html";
import type { Operation, Parameter } from "./described.ts";
import type { Markup } from "./prose.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly operation: Operation;
}

/**
 * An example request as sent over the wire, with each parameter that is required or has an example. The body
 * is on one line, because its signature covers exactly these bytes.
 */
export function requestMessage(
  { method, path, host, operation }: Sent,
  mediaType?: string,
  body?: Json,
  name?: string,
): Markup {
  const { parameters = [], security } = operation;
  const sent = parameters.map(({ examples, ...parameter }) => ({
    ...parameter,
    example: parameter.example ?? examples?.[name ?? ""]?.value,
  })).filter(({ required, example }) => required || example !== undefined);
  const of = (place: Parameter["in"]) => sent.filter((parameter) => parameter.in === place);
  const plain = of("path").reduce((so, { name, example = "" }) => so.replace(`{${name}}`, example), path);
  const query = of("query").map(({ name, schema }) => `${name}=${schema.examples?.[0] ?? ""}`).join("&");
  const needsToken = security.length > 0 && security.every((one) => Object.hasOwn(one, "accessToken"));
  return message(`${method} ${plain}${query && `?${query}`} HTTP/1.1`, [
    ["Host", host],
    ...(needsToken ? [["Authorization", "Bearer the.access.token"] as const] : []),
    ...of("header").map(({ name, example = "" }) => [name, example] as const),
    ...(mediaType ? [["Content-Type", mediaType === "*/*" ? "application/json" : mediaType] as const] : []),
  ], body === undefined ? "" : requestText(body, mediaType));
}

/** A reply to an example request. */
export function replyMessage(status: string, mediaType: string, body: Json): Markup {
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  return message(
    line,
    [["Content-Type", mediaType]],
    typeof body === "string" ? body : JSON.stringify(body, null, 2),
  );
}

function message(line: string, headers: readonly (readonly [string, string])[], body: string): Markup {
  const lines = headers.map(([name, value]) => `${name}: ${value}\n`).join("");
  return html`<pre><b>${line}</b>\n${lines}${body && `\n${body}`}</pre>`;
}

function requestText(body: Json, mediaType = ""): string {
  if (mediaType !== "application/x-www-form-urlencoded") return JSON.stringify(body);
  return new URLSearchParams(body as Record<string, string>).toString();
}
