/** The operator's commands, for use from a program. */
export { gold, type Terminal } from "./gold.ts";
export {
  createAuthority,
  issueServerCertificate,
  openAuthority,
  readAuthorityKey,
  writeCsr,
} from "./pki/mod.ts";
