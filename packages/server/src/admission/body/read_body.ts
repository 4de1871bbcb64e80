import { CanonicalError, type JsonValue, readJson } from "@gold-partner/canonical";
import { BODY_MAX_BYTES, BODY_MAX_DEPTH, bodyErrors } from "@gold-partner/protocol";
import type { z } from "zod";
import type { AppContext } from "../../http/context.ts";
import { Refusal } from "../../http/refusal.ts";
import { stamp, type Ticket } from "../ticket.ts";
import { refuseQuery } from "../query/read_query.ts";

/** The body's bytes, at most 64 KiB. */
export type Bytes = Ticket<"Bytes", Uint8Array>;
/** The bytes of a body that is declared as JSON. */
export type JsonBytes = Bytes & Ticket<"JsonBytes", Uint8Array>;

/** The parameters of a request: `params` holds them as sent, `asked` as the schema parsed them. */
export type Parameters<Asked> = Ticket<"Parameters", { readonly params: JsonValue; readonly asked: Asked }>;

const SHOWN_MAX_CHARACTERS = 60;
const EMPTY_OBJECT = new TextEncoder().encode("{}");

/**
 * Reads the raw bytes of the body. Reading stops with a refusal as soon as the body exceeds 64 KiB. The bytes
 * are stored in the context, because admission may be repeated, but the stream can be read only once.
 */
export async function readBody(c: AppContext): Promise<Bytes> {
  let body = c.get("body");
  if (!body) c.set("body", body = readOnce(c).catch(refuseBroken));
  return stamp<Bytes>(await body);
}

/**
 * Reads the body of an operation that takes JSON. Checks, in order: size → media type. If the body is
 * optional, an empty body needs no media type and counts as an empty object.
 */
export async function readJsonBytes(c: AppContext, isOptional = false): Promise<JsonBytes> {
  const body = await readBody(c);
  if (isOptional && body.length === 0) return stamp<JsonBytes>(EMPTY_OBJECT);
  checkMediaType(c, "application/json");
  return stamp<JsonBytes>(body);
}

/**
 * A client that disconnects in the middle of a body is not an error of the service, so the code is
 * request_timeout.
 */
function refuseBroken(error: unknown): never {
  throw error instanceof Refusal ? error : new Refusal("request_timeout", "The body is incomplete.");
}

async function readOnce(c: AppContext): Promise<Uint8Array> {
  const length = c.req.header("content-length");
  if (length !== undefined && Number(length) > BODY_MAX_BYTES) throw tooLarge();
  if (length !== undefined) return new Uint8Array(await c.req.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return concat(chunks, size);
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

const tooLarge = () => new Refusal("body_too_large", `The body is larger than ${BODY_MAX_BYTES} bytes.`);

/** Checks Content-Type and Content-Encoding. `wanted` is type/subtype. */
export function checkMediaType(c: AppContext, wanted: string): void {
  const [type = "", ...parameters] = (c.req.header("content-type") ?? "").split(";").map((part) =>
    part.trim().toLowerCase()
  );
  if (type !== wanted) {
    throw new Refusal(
      "unsupported_media_type",
      `Content-Type must be ${wanted}; got ${type === "" ? "none" : shortened(type)}.`,
    );
  }
  const foreign = parameters.find((one) =>
    one.startsWith("charset") && !/^charset=(?:utf-8|"utf-8")$/.test(one)
  );
  if (foreign !== undefined) {
    throw new Refusal("unsupported_media_type", `The charset must be utf-8; got ${shortened(foreign)}.`);
  }
  const encoding = c.req.header("content-encoding");
  if (encoding !== undefined) {
    throw new Refusal(
      "unsupported_media_type",
      `Content-Encoding must not be sent; got ${shortened(encoding)}. Send the body uncompressed.`,
    );
  }
}

/** Cuts a header's value for the error message, because a header may be 16 KB long. */
const shortened = (text: string): string =>
  text.length <= SHOWN_MAX_CHARACTERS ? text : `${text.slice(0, SHOWN_MAX_CHARACTERS)}…`;

/**
 * Reads the parameters of an operation that takes them all from its body. Checks, in order: no query → JSON
 * syntax → shape.
 */
export function readParameters<Schema extends z.ZodType>(
  c: AppContext,
  schema: Schema,
  bytes: JsonBytes,
): Parameters<z.output<Schema>> {
  refuseQuery(c);
  const params = readJsonBody(bytes);
  return stamp<Parameters<z.output<Schema>>>({ params, asked: readShape(schema, params) });
}

function readJsonBody(bytes: Uint8Array): JsonValue {
  try {
    return readJson(bytes, { maxBytes: BODY_MAX_BYTES, maxDepth: BODY_MAX_DEPTH });
  } catch (error) {
    if (error instanceof CanonicalError) {
      throw new Refusal("invalid_request", `The body is not the JSON that this API reads. ${error.message}`);
    }
    throw error;
  }
}

function readShape<Schema extends z.ZodType>(schema: Schema, value: JsonValue): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = bodyErrors(result.error.issues);
  throw new Refusal(
    "invalid_request",
    errors[0]?.detail ?? "The body does not have the documented shape.",
    errors,
  );
}
