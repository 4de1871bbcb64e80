/** Reads OpenSSH's public keys, and verifies the signatures that `ssh-keygen -Y sign` makes (SSHSIG). */
export { SshsigError, type SshsigReason } from "./errors.ts";
export { parsePublicKey, type SshKeyType, type SshPublicKey } from "./public_key.ts";
export { parseSshsig, type Sshsig, verifySshsig } from "./sshsig.ts";
