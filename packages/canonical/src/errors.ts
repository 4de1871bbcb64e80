/** Why something was refused. Stable: callers may decide by it. */
export type CanonicalReason =
  // readJson: the bytes are not JSON
  | "unexpected_end"
  | "unexpected_byte"
  | "trailing_content"
  | "invalid_number"
  | "invalid_escape"
  | "control_character"
  | "invalid_utf8"
  // readJson: JSON, but not I-JSON (RFC 7493), or beyond the caller's limits
  | "byte_order_mark"
  | "duplicate_name"
  | "too_long"
  // readJson and canonicalJson
  | "lone_surrogate"
  | "noncharacter"
  | "too_deep"
  // both, and JSON.stringify of a JsonNumber
  | "unsupported_value"
  // canonicalJson
  | "not_finite"
  // canonicalRequest
  | "invalid_part"
  | "invalid_body_hash";

/** The only error that this package throws. */
export class CanonicalError extends Error {
  /** Always `CanonicalError`, also where bundling has renamed the class. */
  override readonly name: string = "CanonicalError";
  /** Why, for programs. */
  readonly reason: CanonicalReason;
  /** Where the refused bytes begin; `readJson` alone knows it. */
  declare readonly offset?: number;

  /** @param message A sentence for people: what happened, why, what to do. */
  constructor(reason: CanonicalReason, message: string, offset?: number) {
    super(message);
    this.reason = reason;
    if (offset !== undefined) this.offset = offset;
  }
}
