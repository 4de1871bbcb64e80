/**
 * The certificate authority: it issues certificates for certificate signing requests, and revocation lists.
 * These are pure functions over Web Crypto; the caller handles files, the clock and the database.
 */
export { type Authority, createAuthority, type NewAuthority, openAuthority } from "./authority.ts";
export { type AuthorityKey, readAuthorityKey, useSigningCommand } from "./authority_key.ts";
export type { CertificateRecord } from "./certificate.ts";
export { type CertificateRequest, readCsr } from "./csr.ts";
export {
  type ClientIssuance,
  issueClientCertificate,
  issueServerCertificate,
  type ServerIssuance,
} from "./issuance.ts";
export { writeCsr } from "./new_request.ts";
export { type Subject, SUBJECT_MAX_CHARACTERS } from "./subject.ts";
