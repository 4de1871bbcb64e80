// The kinds of changes that need two people. From this table follow the SQL that checks a proposal
// (tools/docs/change_sql.ts), what `gold proposal` shows, and which rows of the audit trail the audit expects
// after an approval. apply_change.sql makes the changes.

/** An operator's role. */
type Role = "treasury" | "credentials" | "pricing" | "keys";

export interface Change {
  /** Both the person who proposes the change and the person who approves it need this role. */
  readonly role: Role;
  /**
   * The functions that make the change, which the role may call. Only the migration login changes logins and
   * most settings of the deployment, so no role may call the functions of those changes.
   */
  readonly functions?: readonly string[];
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
    functions: ["create_partner", "limit_partner"],
    members: [
      ...["client_id", "name", "iban", "webhook_url", "rate_per_second", "burst", "maximum_grams", "ips"],
      ...["secret_hash", "webhook_sealed", "sealing_key", "keys", "limits"],
    ],
    writes: { "partner.create": PARTNER, "partner.limit": PARTNER },
  },
  "partner.set": {
    role: "credentials",
    functions: ["set_partner", "limit_partner"],
    members: [
      ...["client_id", "name", "ips", "webhook_url", "rate_per_second", "burst", "maximum_grams", "limits"],
    ],
    writes: { "partner.set": PARTNER, "partner.limit": PARTNER },
    isPartial: true,
    replaces: "partner",
  },
  "partner.iban": {
    role: "treasury",
    functions: ["ask_iban"],
    members: ["client_id", "iban"],
    writes: { "partner.iban": PARTNER },
    replaces: "partner",
  },
  "partner.resume": {
    role: "credentials",
    functions: ["resume_partner"],
    members: ["client_id"],
    writes: { "partner.resume": PARTNER },
  },
  "certificate.issue": {
    role: "credentials",
    functions: ["add_certificate"],
    members: ["client_id", "fingerprint", "serial", "not_before", "not_after", "authority", "key_hash"],
    writes: { "certificate.issue": PARTNER },
  },
  "signing_key.add": {
    role: "credentials",
    functions: ["add_signing_key"],
    members: ["client_id", "thumbprint", "kid", "jwk"],
    writes: { "signing_key.add": PARTNER },
  },
  "client_secret.rotate": {
    role: "credentials",
    functions: ["rotate_client_secret"],
    members: ["client_id", "hash", ROTATION],
    writes: { "client_secret.rotate": PARTNER },
  },
  "webhook_secret.rotate": {
    role: "credentials",
    functions: ["rotate_webhook_secret"],
    members: ["client_id", "sealed", "sealing_key", ROTATION],
    writes: { "webhook_secret.rotate": PARTNER },
  },
  "price.set": {
    role: "pricing",
    functions: ["set_price", "lock_price", "set_market_hours"],
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
    functions: ["set_breaker", "set_band", "set_exposure"],
    members: ["breaker", "band", "exposure"],
    writes: { "market.breaker": PARTNER, "market.band": PARTNER, "market.exposure": PARTNER },
    isPartial: true,
    replaces: "deployment",
  },
  "market.open": {
    role: "pricing",
    functions: ["open_market"],
    members: [],
    writes: { "market.open": PARTNER },
    replaces: "deployment",
  },
  "authority.add": {
    role: "keys",
    functions: ["add_authority"],
    members: ["first", "fingerprint", "certificate", "revocation_list", "revocation_next_at"],
    writes: { "ca.init": "fingerprint", "ca.rotate": "fingerprint" },
  },
  "token_key.rotate": {
    role: "keys",
    functions: ["rotate_token_key"],
    members: ["kid", "public_jwk", "sealed", "sealing_key", "lead_seconds", ROTATION],
    writes: { "token_key.rotate": "kid" },
  },
  "sealing_key.rotate": {
    role: "keys",
    functions: ["reseal"],
    members: ["sealing_key", "secrets"],
    writes: { "sealing_key.rotate": "sealing_key" },
  },
  "pepper.rotate": {
    role: "keys",
    functions: ["rotate_pepper"],
    members: ["pepper"],
    writes: { "pepper.rotate": "pepper" },
  },
  "vault.add": {
    role: "treasury",
    functions: ["add_bar"],
    members: ["serial", "refiner", "vault", "gross", "fineness"],
    writes: { "vault.add": "serial" },
  },
  "vault.remove": {
    role: "treasury",
    functions: ["remove_bar"],
    members: ["serial"],
    writes: { "vault.remove": "serial" },
  },
  "deposit.record": {
    role: "treasury",
    functions: ["record_deposit"],
    members: ["client_id", "amount", "bank_reference"],
    writes: { "deposit.record": PARTNER, "deposit.approve": PARTNER },
  },
  "deposit.reverse": {
    role: "treasury",
    functions: ["reverse_deposit"],
    members: ["deposit"],
    writes: { "deposit.reverse": PARTNER },
  },
  "payment.submit": {
    role: "treasury",
    functions: ["submit_payment"],
    members: ["batch", "prepared_at", "document_sha256", "payments"],
    writes: { "withdrawal.batch": "batch", "withdrawal.submitted": PARTNER },
  },
  "withdrawal.return": {
    role: "treasury",
    functions: ["return_withdrawal"],
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
    functions: ["set_payout_account"],
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
  "recovery.accept": {
    role: "keys",
    functions: ["accept_losses"],
    members: ["epoch", "losses"],
    writes: { "recovery.accept": PARTNER },
  },
  "operator.add": { role: "keys", members: ["name", "roles"], writes: { "operator.add": "name" } },
  "operator.set": { role: "keys", members: ["name", "roles"], writes: { "operator.set": "name" } },
  "operator.remove": { role: "keys", members: ["name"], writes: { "operator.remove": "name" } },
  "operator_key.add": {
    role: "keys",
    functions: ["add_operator_key"],
    members: ["login", "public_key"],
    writes: { "operator_key.add": "login" },
  },
  "registry.adopt": {
    role: "keys",
    functions: ["adopt_registry"],
    members: ["rows"],
    writes: { "registry.adopt": PARTNER },
  },
  "approval.adopt": {
    role: "keys",
    functions: ["adopt_approvals"],
    members: ["approvals"],
    writes: { "approval.adopt": PARTNER },
  },
} as const satisfies Readonly<Record<string, Change>>;

export type ChangeKind = keyof typeof CHANGES;

/** The name of what a proposal replaces; undefined if its change only adds something. */
export function replacedBy(kind: string, content: Readonly<Record<string, unknown>>): string | undefined {
  const { replaces } = (CHANGES as Readonly<Record<string, Change>>)[kind] ?? {};
  return replaces === "partner" ? `${kind} ${content.client_id}` : replaces && kind;
}
