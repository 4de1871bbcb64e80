/** Why the certificate authority refused. The codes are stable; the messages may change. */
type PkiErrorCode =
  | "pem_malformed"
  | "csr_malformed"
  | "csr_private_key_included"
  | "csr_key_unsupported"
  | "csr_signature_unsupported"
  | "csr_signature_invalid"
  | "csr_subject_invalid"
  | "csr_client_id_mismatch"
  | "csr_organization_mismatch"
  | "subject_invalid"
  | "validity_invalid"
  | "server_name_invalid"
  | "certificate_malformed"
  | "authority_certificate_invalid"
  | "authority_key_invalid"
  | "authority_validity_exceeded"
  | "authority_signature_invalid"
  | "signing_command_failed"
  | "crl_invalid";

export class PkiError extends Error {
  override readonly name = "PkiError";
  readonly code: PkiErrorCode;

  constructor(code: PkiErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
