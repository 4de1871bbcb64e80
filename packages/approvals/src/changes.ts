// The kinds of changes that need two people. From this table follow the SQL that checks a proposal
// (tools/docs/change_sql.ts), what `gold proposal` shows, and which rows of the audit trail the audit expects
// after an approval. apply_change.sql makes the changes.

/** An operator's role. It may call the functions that make the change (privileges.sql). */
type Role = "treasury" | "credentials" | "pricing" | "keys";

export interface Change {
  /** Both the person who proposes the change and the person who approves it need this role. */
  readonly role: Role;
  /** The members that the content may have. */
  readonly members: readonly string[];
  /**
   * The actions of the audit rows that the change writes, each with the member that is the row's subject; by
   * default, the partner.
   */
  readonly writes: Readonly<Record<string, string>>;
  /** Every member may be absent, and the setting then stays the same. But one member must change something. */
  readonly isPartial?: boolean;
  /** The change replaces a value: of the whole deployment, or of the partner. */
  readonly replaces?: "deployment" | "partner";
  /** Proposals that have this member expire after so many minutes, instead of after days. */
  readonly expires?: { readonly with: string; readonly minutes: number };
}

const PARTNER = "client_id";
const ROTATION = "overlap_seconds";

export const CHANGES = {
  "partner.create": {
    role: "credentials",
    members: [
      ...["client_id", "name", "iban", "webhook_url", "rate_per_second", "burst", "maximum_grams", "ips"],
      ...["secret_hash", "webhook_sealed", "sealing_key", "keys", "limits"],
    ],
    writes: { "partner.create": PARTNER, "partner.limit": PARTNER },
  },
  "partner.set": {
    role: "credentials",
    members: [
      ...["client_id", "name", "ips", "webhook_url", "rate_per_second", "burst", "maximum_grams", "limits"],
    ],
    writes: { "partner.set": PARTNER, "partner.limit": PARTNER },
    isPartial: true,
    replaces: "partner",
  },
  "partner.iban": {
    role: "treasury",
    members: ["client_id", "iban"],
    writes: { "partner.iban": PARTNER },
    replaces: "partner",
  },
  "partner.resume": {
    role: "credentials",
    members: ["client_id"],
    writes: { "partner.resume": PARTNER },
  },
  "certificate.issue": {
    role: "credentials",
    members: ["client_id", "fingerprint", "serial", "not_before", "not_after", "authority", "key_hash"],
    writes: { "certificate.issue": PARTNER },
  },
  "signing_key.add": {
    role: "credentials",
    members: ["client_id", "thumbprint", "kid", "jwk"],
    writes: { "signing_key.add": PARTNER },
  },
  "client_secret.rotate": {
    role: "credentials",
    members: ["client_id", "hash", ROTATION],
    writes: { "client_secret.rotate": PARTNER },
  },
  "webhook_secret.rotate": {
    role: "credentials",
    members: ["client_id", "sealed", "sealing_key", ROTATION],
    writes: { "webhook_secret.rotate": PARTNER },
  },
  "price.set": {
    role: "pricing",
    members: ["source", "mid", "spread_basis_points", "stale_after_seconds", "url", "hours"],
    // The first price also sets the breaker and the band.
    writes: {
      "price.set": "source",
      "market.set": PARTNER,
      "market.breaker": PARTNER,
      "market.band": PARTNER,
    },
    isPartial: true,
    replaces: "deployment",
    // A price is right only for minutes. Market hours alone are no price.
    expires: { with: "source", minutes: 15 },
  },
  "market.set": {
    role: "pricing",
    members: ["breaker", "band", "exposure"],
    writes: { "market.breaker": PARTNER, "market.band": PARTNER, "market.exposure": PARTNER },
    isPartial: true,
    replaces: "deployment",
  },
  "market.open": {
    role: "pricing",
    members: [],
    writes: { "market.open": PARTNER },
    replaces: "deployment",
  },
  "authority.add": {
    role: "keys",
    members: ["first", "fingerprint", "certificate", "revocation_list", "revocation_next_at"],
    writes: { "ca.init": "fingerprint", "ca.rotate": "fingerprint" },
  },
  "token_key.rotate": {
    role: "keys",
    members: ["kid", "public_jwk", "sealed", "sealing_key", "lead_seconds", ROTATION],
    writes: { "token_key.rotate": "kid" },
  },
  "sealing_key.rotate": {
    role: "keys",
    members: ["sealing_key", "secrets"],
    writes: { "sealing_key.rotate": "sealing_key" },
  },
  "pepper.rotate": { role: "keys", members: ["pepper"], writes: { "pepper.rotate": "pepper" } },
  "vault.add": {
    role: "treasury",
    members: ["serial", "refiner", "vault", "gross", "fineness"],
    writes: { "vault.add": "serial" },
  },
  "vault.remove": { role: "treasury", members: ["serial"], writes: { "vault.remove": "serial" } },
  "deposit.record": {
    role: "treasury",
    members: ["client_id", "amount", "bank_reference"],
    writes: { "deposit.record": PARTNER, "deposit.approve": PARTNER },
  },
  "deposit.reverse": { role: "treasury", members: ["deposit"], writes: { "deposit.reverse": PARTNER } },
  "payment.submit": {
    role: "treasury",
    members: ["batch", "prepared_at", "document_sha256", "payments"],
    writes: { "withdrawal.batch": "batch", "withdrawal.submitted": PARTNER },
  },
  "withdrawal.return": {
    role: "treasury",
    members: ["withdrawal"],
    writes: { "withdrawal.returned": PARTNER },
  },
  "deployment.settle": {
    role: "keys",
    members: [
      ...["environment", "public_base_url", "loopback_receivers", "flood_per_second", "webhook_ports"],
      "attempts_kept_days",
    ],
    writes: { "deployment.settle": "public_base_url" },
    replaces: "deployment",
  },
  "deployment.payout": {
    role: "treasury",
    members: ["name", "iban", "bic"],
    writes: { "deployment.payout": "iban" },
    replaces: "deployment",
  },
  "deployment.defaults": {
    role: "credentials",
    members: ["rate_per_second", "burst", "limits"],
    writes: { "deployment.partner_defaults": PARTNER, "deployment.limit_defaults": PARTNER },
    isPartial: true,
    replaces: "deployment",
  },
  "recovery.accept": { role: "keys", members: ["epoch", "losses"], writes: { "recovery.accept": PARTNER } },
  "operator.add": { role: "keys", members: ["name", "roles"], writes: { "operator.add": "name" } },
  "operator.set": { role: "keys", members: ["name", "roles"], writes: { "operator.set": "name" } },
  "operator.remove": { role: "keys", members: ["name"], writes: { "operator.remove": "name" } },
  "operator_key.add": {
    role: "keys",
    members: ["login", "public_key"],
    writes: { "operator_key.add": "login" },
  },
  "registry.adopt": { role: "keys", members: ["rows"], writes: { "registry.adopt": PARTNER } },
  "approval.adopt": { role: "keys", members: ["approvals"], writes: { "approval.adopt": PARTNER } },
} as const satisfies Readonly<Record<string, Change>>;

export type ChangeKind = keyof typeof CHANGES;

/** The name of what a proposal replaces; undefined if its change only adds something. */
export function replacedBy(kind: string, content: Readonly<Record<string, unknown>>): string | undefined {
  const { replaces } = (CHANGES as Readonly<Record<string, Change>>)[kind] ?? {};
  return replaces === "partner" ? `${kind} ${content.client_id}` : replaces && kind;
}
