// Converts the bodies of replies to values, and the members of requests to bodies. Replies may have members
// that the service adds later.
import { JsonNumber, type JsonObject, type JsonValue, readJson } from "@gold-partner/canonical";
import { ENDPOINTS, type OperationId, unitOfMember, writeJson } from "@gold-partner/protocol";
import { GoldError } from "./gold_error.ts";
import { Quantity, type Unit } from "./quantity.ts";
import { REPLY_MAX_BYTES } from "./transport.ts";

/** Reads the value of a body. Quantities are read from their source text, so they are exact. */
export function readValue(body: Uint8Array): unknown {
  return exactValue(readJson(body, { maxBytes: REPLY_MAX_BYTES }), undefined);
}

/**
 * A number without its own unit takes the unit of the member around it, as in `{"sar": {"available": 1}}`.
 */
function exactValue(value: JsonValue, unit: Unit | undefined): unknown {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof JsonNumber) {
    return unit === undefined ? JSON.parse(value.source) : exactQuantity(value.source, unit);
  }
  if (isList(value)) return value.map((item) => exactValue(item, unit));
  // A posting has a member `account` beside its numbers. The account gives their unit.
  const within = typeof value.account === "string" ? unitOfMember(value.account) : unit;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, exactValue(member, unitOfMember(name) ?? within)]),
  );
}

/**
 * Returns the quantity, or the source text if that text has more decimals than the unit allows. A member that
 * the service adds later may have such a number.
 */
function exactQuantity(source: string, unit: Unit): Quantity | string {
  try {
    return Quantity.parse(source, unit);
  } catch {
    return source;
  }
}

/**
 * Returns the members of `request` that the operation knows. So a reply that has these members among others
 * can be passed as a request.
 */
export function knownMembers(operation: OperationId, request: object): object {
  const { error } = ENDPOINTS[operation].request!.schema.safeParse(request);
  const unknown = error?.issues.flatMap((issue) => issue.code === "unrecognized_keys" ? issue.keys : []) ??
    [];
  if (unknown.length === 0) return request;
  return Object.fromEntries(Object.entries(request).filter(([name]) => !unknown.includes(name)));
}

/** The members of requests that are whole numbers. */
const COUNTS: ReadonlySet<string> = new Set(["count", "percent", "seconds"]);

/** The members of requests that are objects. */
const OBJECTS: ReadonlySet<string> = new Set(["signing_key", "webhook_endpoint"]);

/** Writes a request body of quantities, texts, counts, and objects of these. Leaves out undefined members. */
export function writeRequest(members: object): string {
  if (typeof members !== "object" || members === null) {
    throw new GoldError("argument_invalid", `The request must be an object; got ${members}.`);
  }
  return writeJson(wireObject(members));
}

function wireObject(members: object): JsonObject {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, wireValue(name, value)]));
}

function wireValue(name: string, value: unknown): JsonValue {
  const unit = unitOfMember(name);
  if (unit !== undefined) return new JsonNumber(quantityOf(name, value, unit).toString());
  if (COUNTS.has(name)) {
    if (Number.isSafeInteger(value)) return new JsonNumber(String(value));
    throw new GoldError("argument_invalid", `${name} must be a whole number; got ${String(value)}.`);
  }
  if (OBJECTS.has(name) && typeof value === "object" && value !== null) {
    if (!("d" in value)) return wireObject(value);
    throw new GoldError(
      "argument_invalid",
      `${name} must be a public key, but it has the private member d. Nothing was sent.`,
    );
  }
  if (name === "types" && Array.isArray(value)) return value.map((type) => wireValue("type", type));
  if (typeof value === "string") return value;
  throw new GoldError("argument_invalid", `${name} must be a string; got a ${typeof value}.`);
}

function quantityOf(name: string, value: unknown, unit: Unit): Quantity {
  if (value instanceof Quantity && value.unit === unit) return value;
  if (value instanceof Quantity) {
    throw new GoldError("argument_invalid", `${name} must be a quantity in ${unit}; got ${value.unit}.`);
  }
  try {
    return Quantity.parse(value as string, unit);
  } catch (cause) {
    if (!(cause instanceof GoldError)) throw cause;
    throw new GoldError("argument_invalid", `${name}: ${cause.detail}`, { cause });
  }
}

/** Writes a form or a query. Leaves out undefined members. */
export function writeForm(members: object): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  const form = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
  // Every plus here is a space. The service refuses a plus in a query.
  return form.toString().replaceAll("+", "%20");
}

/** `Array.isArray()` does not narrow a readonly array. */
function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
