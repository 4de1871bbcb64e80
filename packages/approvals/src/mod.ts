/** The changes that need two people, the texts that operators sign, and the verification of signatures. */
export {
  type Change,
  type ChangeAction,
  type ChangeKind,
  CHANGES,
  functionsOf,
  replacedBy,
  ROW_READERS,
} from "./changes.ts";
export { type Deployment, type OperatorKey, type OperatorKeys, parseOperatorKeys } from "./operator_keys.ts";
export {
  allowedIpsRow,
  authorityRow,
  certificateRow,
  clientSecretRow,
  ibanRow,
  nameRow,
  type Payer,
  payerRow,
  paymentRow,
  type RegistryRow,
  type RowDocument,
  signingKeyRow,
  storedRows,
} from "./registry_rows.ts";
export {
  type ApprovalDocument,
  endTimes,
  followKeys,
  OFF_REFUSED,
  readLists,
  requireDeployment,
  SignedRegistry,
  SignedRows,
  takeList,
  UnsignedRow,
  UNVERIFIED,
} from "./signed_registry.ts";
export {
  APPROVAL_NAMESPACE,
  approvalText,
  type Proposal,
  PROPOSAL_NAMESPACE,
  proposalText,
} from "./texts.ts";
export { ApprovalVerifier, proposalSha256, type StoredApproval } from "./verifier.ts";
export { parsePublicKey, parseSshsig, type SshPublicKey, SshsigError, verifySshsig } from "./sshsig/mod.ts";
