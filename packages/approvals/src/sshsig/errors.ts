/** Why a key or a signature was refused: stable names that programs may branch on. */
export type SshsigReason =
  | "key_malformed"
  | "key_type_unsupported"
  | "armor_malformed"
  | "blob_malformed"
  | "version_unsupported"
  | "hash_unsupported"
  | "namespace_mismatch"
  | "key_mismatch"
  | "signature_type_mismatch"
  | "user_absent"
  | "signature_mismatch";

/** The one error that this package throws: `reason` for programs, `message` for people. */
export class SshsigError extends Error {
  override readonly name: string = "SshsigError";
  readonly reason: SshsigReason;

  constructor(reason: SshsigReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}
