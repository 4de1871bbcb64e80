import type { JsonValue } from "@gold-partner/canonical";
import {
  PROBLEM_MEDIA_TYPE,
  problemBody,
  REPLY_HEADER,
  TOKEN_PROBLEM_REGISTRY,
  tokenErrorBody,
  type TokenProblemCode,
  writeJson,
} from "@gold-partner/protocol";
import type { AppContext, Exchange } from "./context.ts";
import type { Refusal } from "./refusal.ts";

export const JSON_MEDIA_TYPE = "application/json";
const RETRY_AFTER_SECONDS = "1";

export function jsonReply(
  value: JsonValue,
  exchange: Exchange,
  headers: Record<string, string> = {},
): Response {
  return textReply(200, writeJson(value), JSON_MEDIA_TYPE, exchange, headers);
}

/** A reply whose JSON the database has written. */
export function jsonTextReply(text: string, exchange: Exchange): Response {
  return textReply(200, text, JSON_MEDIA_TYPE, exchange, {});
}

/** Redirects permanently to another path of this service. */
export function redirectReply(location: string, exchange: Exchange): Response {
  return new Response(null, {
    status: 308,
    headers: headersOf("text/plain", exchange, { Location: location }),
  });
}

interface Fixed {
  readonly mediaType: string;
  readonly body: string;
  /** The value of the ETag header, with its quotes. */
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A reply whose content does not change while the service runs. The caller may cache the reply, but must
 * revalidate it each time, because the caller's admission may have changed. `headers` can
 * set another Cache-Control.
 */
export function fixedReply(
  { mediaType, body, tag, headers }: Fixed,
  ifNoneMatch: string | undefined,
  exchange: Exchange,
): Response {
  const tagged = { "Cache-Control": "private, no-cache", ...headers, [REPLY_HEADER.entityTag]: tag };
  const has = ifNoneMatch?.split(",").some((one) => ["*", tag].includes(one.trim().replace(/^W\//, "")));
  if (!has) return textReply(200, body, mediaType, exchange, tagged);
  return new Response(null, { status: 304, headers: headersOf(mediaType, exchange, tagged) });
}

/** What streamReply() needs of an AsyncGenerator. */
interface Parts {
  next(): Promise<IteratorResult<string, unknown>>;
  return(value: undefined): Promise<unknown>;
}

/**
 * A reply that is sent while it is being produced. A failure breaks the connection, so that the client sees
 * that the reply is incomplete. The failure itself must be logged by `parts`.
 */
export function streamReply(
  parts: Parts,
  mediaType: string,
  c: Pick<AppContext, "env" | "get">,
  headers: Record<string, string>,
): Response {
  const body = bodyOf(parts, c.env?.incoming?.socket);
  return new Response(body, { headers: headersOf(mediaType, c.get("exchange"), headers) });
}

/**
 * Produces each part when the client reads it. If the client cancels, the generator ends. A failure first
 * breaks the connection, and then closes the stream without an error. With an error, the HTTP library would
 * print a stack trace between the JSON lines of the log.
 */
export function bodyOf(
  parts: Parts,
  connection: { destroy(): unknown } | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        if (!connection) throw error;
        connection.destroy();
        controller.close();
      }
    },
    cancel: async () => void await parts.return(undefined),
  }, { highWaterMark: 0 });
}

export function problemReply(refusal: Refusal, exchange: Exchange): Response {
  const { code, detail, errors } = refusal;
  const { requestId, docsUrl } = exchange;
  const body = problemBody(code, { requestId, errors, docsUrl, ...(detail === undefined ? {} : { detail }) });
  return textReply(body.status, JSON.stringify(body), PROBLEM_MEDIA_TYPE, exchange, problemHeaders(code));
}

export function tokenErrorReply(refusal: Refusal<TokenProblemCode>, exchange: Exchange): Response {
  const { code, detail } = refusal;
  const body = tokenErrorBody(code, {
    requestId: exchange.requestId,
    ...(detail === undefined ? {} : { detail }),
  });
  const { status } = TOKEN_PROBLEM_REGISTRY[code];
  return textReply(status, JSON.stringify(body), JSON_MEDIA_TYPE, exchange, problemHeaders(code));
}

function problemHeaders(code: TokenProblemCode): Record<string, string> {
  const { status } = TOKEN_PROBLEM_REGISTRY[code];
  if (status === 401) return { [REPLY_HEADER.wwwAuthenticate]: challengeOf(code) };
  if (status === 503 || status === 429 || code === "idempotency_request_in_progress") {
    return { [REPLY_HEADER.retryAfter]: RETRY_AFTER_SECONDS };
  }
  return {};
}

function challengeOf(code: TokenProblemCode): string {
  // Name an error only if the token is at fault, because a client fetches another token when it sees one.
  if (!/^token_(?!missing)/.test(code)) return 'Bearer realm="gold-partner"';
  return `Bearer realm="gold-partner", error="invalid_token", error_description="${code}"`;
}

export function textReply(
  status: number,
  body: string,
  mediaType: string,
  exchange: Exchange,
  headers: Record<string, string>,
): Response {
  return new Response(body, { status, headers: headersOf(mediaType, exchange, headers) });
}

/** By default no cache may keep a reply, because each reply is for one partner and describes one moment. */
const headersOf = (
  mediaType: string,
  { requestId, rateFields }: Exchange,
  headers: Record<string, string>,
) => ({
  "Content-Type": mediaType,
  "Cache-Control": "no-store",
  [REPLY_HEADER.requestId]: requestId,
  ...rateFields,
  ...headers,
});
