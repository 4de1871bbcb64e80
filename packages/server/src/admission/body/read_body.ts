import { CanonicalError, type JsonValue, readJson } from "@gold-partner/canonical";
import { BODY_MAX_BYTES, BODY_MAX_DEPTH, bodyErrors } from "@gold-partner/protocol";
import type { Context } from "hono";
import type { z } from "zod";
import { Refusal } from "../../refusal.ts";

const SHOWN_MAX_CHARACTERS = 60;

/**
 * Reads the raw bytes of the body. Reading stops with a refusal as soon as the body exceeds 64 KiB. The bytes
 * are kept in the context: if the request's admission is repeated, the body cannot be read a second time.
 */
export function readBody(c: Context): Promise<Uint8Array> {
  let body = c.get("body") as Promise<Uint8Array> | undefined;
  if (!body) c.set("body", body = readOnce(c).catch(refuseBroken));
  return body;
}

/**
 * A client that disconnects in the middle of a body is not an error of the service, so the code is
 * request_timeout.
 */
function refuseBroken(error: unknown): never {
  throw error instanceof Refusal ? error : new Refusal("request_timeout", "The body did not arrive whole.");
}

async function readOnce(c: Context): Promise<Uint8Array> {
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
export function checkMediaType(c: Context, wanted: string): void {
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

/** A header may be 16 KB long. */
const shortened = (text: string): string =>
  text.length <= SHOWN_MAX_CHARACTERS ? text : `${text.slice(0, SHOWN_MAX_CHARACTERS)}…`;

/** Checks the JSON syntax only. `readShape()` checks the shape. */
export function readJsonBody(bytes: Uint8Array): JsonValue {
  try {
    return readJson(bytes, { maxBytes: BODY_MAX_BYTES, maxDepth: BODY_MAX_DEPTH });
  } catch (error) {
    if (error instanceof CanonicalError) {
      throw new Refusal("invalid_request", `The body is not the JSON that this API reads. ${error.message}`);
    }
    throw error;
  }
}

export function readShape<Schema extends z.ZodType>(schema: Schema, value: JsonValue): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = bodyErrors(result.error.issues);
  throw new Refusal(
    "invalid_request",
    errors[0]?.detail ?? "The body does not have the documented shape.",
    errors,
  );
}
