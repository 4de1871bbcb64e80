/** The operator's commands, for use from a program. */
export { gold } from "./gold.ts";
export { isLostTransaction } from "./failure.ts";
export type { Terminal } from "./terminal.ts";
export { openKeyFile } from "./key_file.ts";
export { scramVerifier } from "./scram_verifier.ts";
export { generateKeyPair } from "./pki/key_pair.ts";
export { writePem } from "./pki/pem.ts";
export { KEY_FILE, operatorKeyFile, operatorKeysFile, statePointer, writeStatePointer } from "./run_file.ts";
export {
  createAuthority,
  issueServerCertificate,
  openAuthority,
  readAuthorityKey,
  writeCsr,
} from "./pki/mod.ts";
