/** The audit from outside: it recomputes the books from raw rows and calls no routine of the database. */
export { auditBooks, type AuditReport } from "./full_audit.ts";
export { type BuiltinFile, majorVersion } from "./catalog/builtin.ts";
export { makeFingerprint, type Variant } from "./catalog/fingerprint.ts";
export { readDigests } from "./catalog/layout.ts";
export { readObjects } from "./catalog/objects.ts";
export { ALLOWABLE } from "./findings.ts";
export { type KeptHead, type KeptKeys, readAllowed, readKeptHeads, readKeptKeys } from "./outside_files.ts";
export { dayOf } from "./books/riyadh_day.ts";
export { makeDocument } from "./registry/payment_document.ts";
export { readRequest, type RequestParts } from "./books/requests.ts";
export { RULES } from "./rules.ts";
export { type Connection, openAuditConnection, withSnapshot } from "./snapshot.ts";
export { AuditState } from "./state.ts";
