/**
 * Builds the canonical text of a JSON value or a request, to be signed or hashed. Also reads I-JSON strictly.
 *
 * @module
 */
export { canonicalJson, type CanonicalValue } from "./canonical_json.ts";
export { canonicalRequest, type CanonicalRequestParts } from "./canonical_request.ts";
export { CanonicalError, type CanonicalReason } from "./errors.ts";
export { JsonNumber, type JsonObject, type JsonValue } from "./json_value.ts";
export { type JsonLimits, readJson } from "./read_json.ts";
