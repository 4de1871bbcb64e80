/** Why a value was refused: stable names that programs may branch on. The message is for people. */
export type JwsReason =
  | "jws_malformed"
  | "jws_too_long"
  | "payload_embedded"
  | "payload_not_bytes"
  | "base64url_invalid"
  | "base64url_not_canonical"
  | "header_not_ascii"
  | "header_not_json"
  | "header_not_object"
  | "header_member_unknown"
  | "header_member_duplicate"
  | "alg_invalid"
  | "b64_invalid"
  | "crit_invalid"
  | "kid_invalid"
  | "typ_invalid"
  | "typ_mismatch"
  | "signature_length"
  | "signature_der"
  | "signature_out_of_range"
  | "signature_mismatch"
  | "der_malformed"
  | "key_unknown"
  | "key_malformed"
  | "key_unsupported"
  | "key_unusable"
  | "key_not_on_curve"
  | "key_pair_mismatch"
  | "key_is_private"
  | "key_is_public";

/** The one error that this package throws: `reason` for programs, `message` for people. */
export class JwsError extends Error {
  override readonly name: string = "JwsError";
  readonly reason: JwsReason;

  /**
   * @param reason Why the value was refused, for programs.
   * @param message A sentence for people: what happened, why, and what to do.
   * @param options May hold the error that caused this one.
   */
  constructor(reason: JwsReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}
