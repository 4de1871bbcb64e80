/** Why a value was refused. The names are stable, so programs can branch on them. */
export type CanonicalReason =
  // readJson: the bytes are not JSON
  | "unexpected_end"
  | "unexpected_byte"
  | "trailing_content"
  | "invalid_number"
  | "invalid_escape"
  | "control_character"
  | "invalid_utf8"
  // readJson: JSON, but not I-JSON (RFC 7493), or above the caller's limits
  | "byte_order_mark"
  | "duplicate_name"
  | "too_long"
  // readJson and canonicalJson
  | "lone_surrogate"
  | "noncharacter"
  | "too_deep"
  // readJson, canonicalJson, and JSON.stringify() of a JsonNumber
  | "unsupported_value"
  // canonicalJson
  | "not_finite"
  // canonicalRequest
  | "invalid_part"
  | "invalid_body_hash";

/** The only error that this package throws. */
export class CanonicalError extends Error {
  /** Always `CanonicalError`, even if a bundler renames the class. */
  override readonly name: string = "CanonicalError";
  /** Why the value was refused, for programs. */
  readonly reason: CanonicalReason;
  /**
   * Byte offset of the fault in the input. Only `readJson` sets it, for every reason except
   * `unsupported_value`.
   */
  declare readonly offset?: number;

  /**
   * @param reason Why the value was refused, for programs.
   * @param message A sentence for people: what happened, why, and what to do.
   * @param offset Byte offset of the fault in the input, if it is known.
   */
  constructor(reason: CanonicalReason, message: string, offset?: number) {
    super(message);
    this.reason = reason;
    if (offset !== undefined) this.offset = offset;
  }
}
