// The kinds of changes that need two people. The SQL that checks and makes a change, the privileges of the roles
// and the audit's expectations are made from this table (tools/docs/change_sql.ts).

import {
  allowedIpsRow,
  authorityRow,
  type CertificateRow,
  certificateRow,
  clientSecretRow,
  ibanRow,
  nameRow,
  type Payer,
  payerRow,
  paymentRow,
  type RegistryRow,
  type SigningKeyRow,
  signingKeyRow,
} from "./registry_rows.ts";

/** The roles that can propose. */
type Role = "treasury" | "credentials" | "pricing" | "keys";

type Content = Readonly<Record<string, unknown>>;

/**
 * What uses a row only if two people signed for it: admission, `gold withdrawal approve` and `submit`, and the
 * trust sync.
 */
export const ROW_READERS = ["registry", "payees", "trust"] as const;

export interface Change {
  /** Both the person who proposes the change and the person who approves it need this role. */
  readonly role: Role;
  /** The members that the content may have. */
  readonly members: readonly string[];
  /**
   * The actions of the audit rows that the change writes, each with the member that is the row's subject. Null:
   * no member is the subject.
   */
  readonly writes: Readonly<Record<string, string | null>>;
  /** Every member may be absent, and the setting then stays the same. One member must change something. */
  readonly isPartial?: boolean;
  /** The change replaces a value: of the whole deployment, or of the partner. */
  readonly replaces?: "deployment" | "partner";
  /** A proposal whose content has the member `with` expires after at most `minutes`. */
  readonly expires?: { readonly with: string; readonly minutes: number };
  /**
   * The PL/pgSQL statements that make the change. `content` is the content, and `client` its client_id. The
   * role may call every function after `perform`, except those that only check (check_…, refuse_…).
   */
  readonly makes: string;
  /** The rows for which two people sign with this change, and what uses them. */
  readonly signs?: {
    readonly readers: readonly (typeof ROW_READERS)[number][];
    readonly rows: (client: string, content: Content) => readonly RegistryRow[];
  };
  /** Without a proposal, only the migration login may make the change, and no role may call its functions. */
  readonly isOwners?: boolean;
}

const PARTNER = "client_id";
/** Names the partner's request that the change answers: `chg_…`. The change must then equal all of the request. */
const REQUEST = "request";
const ROTATION = "overlap_seconds";
/**
 * The older secrets, with their last use, that a single operator was shown before retiring them at once. `gold`
 * leaves this member out of a proposal, because partners may use the secrets until the approval.
 */
const SEEN = "seen";

export const CHANGES = {
  "partner.create": {
    role: "credentials",
    members: [
      ...["client_id", "name", "iban", "webhook_url", "rate_per_second", "burst", "maximum_grams", "ips"],
      ...["secret_hash", "webhook_sealed", "sealing_key", "keys", "limits"],
    ],
    writes: { "partner.create": PARTNER, "partner.limit": PARTNER },
    signs: {
      readers: ["registry", "payees", "trust"],
      rows: (client, { keys, secret_hash, ips, name, iban }) => [
        ...(keys as readonly SigningKeyRow[]).map((key) => signingKeyRow(client, key)),
        clientSecretRow(client, secret_hash),
        allowedIpsRow(client, ips as readonly string[]),
        nameRow(client, name),
        ibanRow(client, iban),
      ],
    },
    makes: `
      perform refuse_other_thumbprint(k ->> 'thumbprint', k -> 'jwk')
        from jsonb_array_elements(content -> 'keys') k;
      perform create_partner(client, content ->> 'name', content ->> 'iban', content ->> 'webhook_url',
        (content ->> 'rate_per_second')::int, (content ->> 'burst')::int,
        (content ->> 'maximum_grams')::bigint,
        texts_of(content -> 'ips')::cidr[], hex_of(content, 'secret_hash'), hex_of(content, 'webhook_sealed'),
        content ->> 'sealing_key', content -> 'keys');
      perform limit_partner(client, coalesce(content -> 'limits', '{}'));`,
  },
  "partner.set": {
    role: "credentials",
    members: [
      ...["client_id", "name", "ips", "webhook_url", "rate_per_second", "burst", "maximum_grams", "limits"],
      REQUEST,
    ],
    writes: { "partner.set": PARTNER, "partner.limit": PARTNER },
    isPartial: true,
    replaces: "partner",
    signs: {
      readers: ["registry", "payees", "trust"],
      rows: (client, { ips, name }) => [
        ...(ips ? [allowedIpsRow(client, ips as readonly string[])] : []),
        ...(name ? [nameRow(client, name)] : []),
      ],
    },
    makes: `
      if content ?| '{name,ips,webhook_url,rate_per_second,burst,maximum_grams}' then
        perform set_partner(client, content ->> 'name', texts_of(content -> 'ips')::cidr[],
          content ->> 'webhook_url', (content ->> 'rate_per_second')::int, (content ->> 'burst')::int,
          (content ->> 'maximum_grams')::bigint);
      end if;
      if content ? 'limits' then
        perform limit_partner(client, content -> 'limits');
      end if;`,
  },
  "partner.iban": {
    role: "treasury",
    members: ["client_id", "iban"],
    writes: { "partner.iban": PARTNER },
    replaces: "partner",
    signs: {
      readers: ["payees"],
      rows: (client, { iban }) => [ibanRow(client, iban)],
    },
    makes: `perform ask_iban(client, content ->> 'iban');`,
  },
  "partner.resume": {
    role: "credentials",
    members: ["client_id"],
    writes: { "partner.resume": PARTNER },
    makes: `perform resume_partner(client);`,
  },
  "certificate.issue": {
    role: "credentials",
    members: [
      ...["client_id", "fingerprint", "serial", "not_before", "not_after", "authority", "key_hash"],
      REQUEST,
    ],
    writes: { "certificate.issue": PARTNER },
    signs: {
      readers: ["registry"],
      rows: (client, content) => [certificateRow(client, content as unknown as CertificateRow)],
    },
    makes: `
      perform add_certificate(client, content ->> 'fingerprint', content ->> 'serial',
        (content ->> 'not_before')::timestamptz,
        (content ->> 'not_after')::timestamptz, content ->> 'authority', content ->> 'key_hash');`,
  },
  "signing_key.add": {
    role: "credentials",
    members: ["client_id", "thumbprint", "kid", "jwk", REQUEST],
    writes: { "signing_key.add": PARTNER },
    signs: {
      readers: ["registry"],
      rows: (client, content) => [signingKeyRow(client, content as unknown as SigningKeyRow)],
    },
    makes: `
      perform refuse_other_thumbprint(content ->> 'thumbprint', content -> 'jwk');
      perform add_signing_key(client, content ->> 'thumbprint', content ->> 'kid', content -> 'jwk');`,
  },
  "client_secret.rotate": {
    role: "credentials",
    members: ["client_id", "hash", ROTATION, SEEN],
    writes: { "client_secret.rotate": PARTNER },
    signs: {
      readers: ["registry"],
      rows: (client, { hash }) => [clientSecretRow(client, hash)],
    },
    makes: `
      perform rotate_client_secret(client, hex_of(content, 'hash'), (content ->> 'overlap_seconds')::int,
        content -> 'seen');`,
  },
  "webhook_secret.rotate": {
    role: "credentials",
    members: ["client_id", "sealed", "sealing_key", ROTATION, SEEN, "endpoint"],
    writes: { "webhook_secret.rotate": PARTNER },
    makes: `
      perform rotate_webhook_secret(client, hex_of(content, 'sealed'), content ->> 'sealing_key',
        (content ->> 'overlap_seconds')::int, content -> 'seen', (content ->> 'endpoint')::int);`,
  },
  "endpoint.add": {
    role: "credentials",
    members: ["client_id", "url", "types", "sealed", "sealing_key", REQUEST],
    writes: { "endpoint.add": PARTNER },
    makes: `
      perform add_endpoint(client, content ->> 'url', texts_of(content -> 'types'), hex_of(content, 'sealed'),
        content ->> 'sealing_key');`,
  },
  "endpoint.set": {
    role: "credentials",
    members: ["client_id", "endpoint", "url", "types"],
    writes: { "endpoint.set": PARTNER },
    replaces: "partner",
    makes: `
      perform set_endpoint(client, (content ->> 'endpoint')::int, content ->> 'url', texts_of(content -> 'types'));`,
  },
  "endpoint.remove": {
    role: "credentials",
    members: ["client_id", "endpoint"],
    writes: { "endpoint.remove": PARTNER },
    makes: `perform remove_endpoint(client, (content ->> 'endpoint')::int);`,
  },
  "price.set": {
    role: "pricing",
    members: ["source", "mid", "spread_basis_points", "stale_after_seconds", "url", "hours"],
    // The first price also sets the breaker and the band.
    writes: {
      "price.set": "source",
      "market.set": null,
      "market.breaker": null,
      "market.band": null,
    },
    isPartial: true,
    replaces: "deployment",
    // A price is right only for minutes. Market hours alone are no price.
    expires: { with: "source", minutes: 15 },
    makes: `
      if content ?| '{source,mid,spread_basis_points,stale_after_seconds,url}' then
        perform lock_price();
        -- Without a mid, the current price stays. If there is none yet, store 10000, as the command does.
        mid := coalesce((content ->> 'mid')::bigint, (select p.mid from price p), 10000);
        spread := (content ->> 'spread_basis_points')::int;
        perform set_price(content ->> 'source', mid, buy_of(mid, spread), sell_of(mid, spread), spread,
          (content ->> 'stale_after_seconds')::int, content ->> 'url');
      end if;
      if content ? 'hours' then
        perform set_market_hours((content -> 'hours' ->> 'always_open')::boolean,
          content -> 'hours' -> 'sessions');
      end if;`,
  },
  "market.set": {
    role: "pricing",
    members: ["breaker", "band", "exposure"],
    writes: { "market.breaker": null, "market.band": null, "market.exposure": null },
    isPartial: true,
    replaces: "deployment",
    makes: `
      if content ? 'breaker' then
        perform set_breaker((content -> 'breaker' ->> 'basis_points')::int,
          (content -> 'breaker' ->> 'seconds')::int);
      end if;
      if content ? 'band' then
        perform set_band((content -> 'band' ->> 'step_basis_points')::int,
          (content -> 'band' ->> 'hour_basis_points')::int);
      end if;
      if content ? 'exposure' then
        perform set_exposure((content ->> 'exposure')::bigint);
      end if;`,
  },
  "market.open": {
    role: "pricing",
    members: [],
    writes: { "market.open": null },
    replaces: "deployment",
    makes: `perform open_market();`,
  },
  "authority.add": {
    role: "keys",
    members: ["first", "fingerprint", "certificate", "revocation_list", "revocation_next_at"],
    writes: { "ca.init": "fingerprint", "ca.rotate": "fingerprint" },
    signs: {
      readers: ["trust"],
      rows: (_, { certificate }) => [authorityRow(certificate as string)],
    },
    makes: `
      perform refuse_other_fingerprint(content ->> 'fingerprint', content ->> 'certificate');
      perform add_authority((content ->> 'first')::boolean, content ->> 'fingerprint',
        content ->> 'certificate', null,
        content ->> 'revocation_list', (content ->> 'revocation_next_at')::timestamptz);`,
  },
  "token_key.rotate": {
    role: "keys",
    members: ["kid", "public_jwk", "sealed", "sealing_key", "lead_seconds", ROTATION],
    writes: { "token_key.rotate": "kid" },
    makes: `
      perform refuse_other_thumbprint(content ->> 'kid', content -> 'public_jwk');
      perform rotate_token_key(content ->> 'kid', content -> 'public_jwk', hex_of(content, 'sealed'),
        content ->> 'sealing_key',
        (content ->> 'lead_seconds')::int, (content ->> 'overlap_seconds')::int);`,
  },
  "sealing_key.rotate": {
    role: "keys",
    members: ["sealing_key", "secrets"],
    writes: { "sealing_key.rotate": "sealing_key" },
    makes: `perform reseal(content ->> 'sealing_key', content -> 'secrets');`,
  },
  "pepper.rotate": {
    role: "keys",
    members: ["pepper"],
    writes: { "pepper.rotate": "pepper" },
    makes: `perform rotate_pepper(content ->> 'pepper');`,
  },
  "vault.add": {
    role: "treasury",
    members: ["serial", "refiner", "vault", "gross", "fineness"],
    writes: { "vault.add": "serial" },
    makes: `
      perform add_bar(content ->> 'serial', content ->> 'refiner', content ->> 'vault',
        (content ->> 'gross')::bigint, (content ->> 'fineness')::int);`,
  },
  "vault.remove": {
    role: "treasury",
    members: ["serial"],
    writes: { "vault.remove": "serial" },
    makes: `perform remove_bar(content ->> 'serial');`,
  },
  "deposit.record": {
    role: "treasury",
    members: ["client_id", "amount", "bank_reference"],
    writes: { "deposit.record": PARTNER, "deposit.approve": PARTNER },
    makes: `perform record_deposit(client, (content ->> 'amount')::bigint, content ->> 'bank_reference');`,
  },
  "deposit.reverse": {
    role: "treasury",
    members: ["deposit"],
    writes: { "deposit.reverse": null },
    makes: `perform reverse_deposit((content ->> 'deposit')::uuid);`,
  },
  "payment.submit": {
    role: "treasury",
    members: ["batch", "prepared_at", "document_sha256", "payments"],
    writes: { "withdrawal.batch": "batch", "withdrawal.submitted": null },
    signs: {
      readers: [],
      rows: (_, { batch, document_sha256 }) => [paymentRow(batch, document_sha256)],
    },
    makes: `
      perform submit_payment((content ->> 'batch')::uuid,
        array(select (p.value ->> 'withdrawal')::uuid from jsonb_array_elements(content -> 'payments') p),
        (content ->> 'prepared_at')::timestamptz, content ->> 'document_sha256');`,
  },
  "withdrawal.return": {
    role: "treasury",
    members: ["withdrawal"],
    writes: { "withdrawal.returned": null },
    makes: `perform return_withdrawal((content ->> 'withdrawal')::uuid);`,
  },
  "day.sign": {
    role: "treasury",
    members: ["day", "document"],
    writes: { "day.sign": "day" },
    makes: `perform sign_day(content ->> 'day', content ->> 'document');`,
  },
  "deployment.settle": {
    role: "keys",
    members: [
      ...["environment", "public_base_url", "loopback_receivers", "flood_per_second", "webhook_ports"],
      "attempts_kept_days",
    ],
    writes: { "deployment.settle": "public_base_url" },
    replaces: "deployment",
    isOwners: true,
    makes: `
      perform settle_deployment(content ->> 'environment', content ->> 'public_base_url',
        (content ->> 'loopback_receivers')::boolean, null, null,
        (content ->> 'flood_per_second')::int, texts_of(content -> 'webhook_ports')::int[],
        (content ->> 'attempts_kept_days')::int);`,
  },
  "deployment.payout": {
    role: "treasury",
    members: ["name", "iban", "bic"],
    writes: { "deployment.payout": "iban" },
    replaces: "deployment",
    signs: {
      readers: ["payees"],
      rows: (_, content) => [payerRow(content as unknown as Payer)],
    },
    makes: `perform set_payout_account(content ->> 'name', content ->> 'iban', content ->> 'bic');`,
  },
  "deployment.defaults": {
    role: "credentials",
    members: ["rate_per_second", "burst", "limits"],
    writes: { "deployment.partner_defaults": null, "deployment.limit_defaults": null },
    isPartial: true,
    replaces: "deployment",
    isOwners: true,
    makes: `
      if content ?| '{rate_per_second,burst}' then
        perform set_partner_defaults((content ->> 'rate_per_second')::int, (content ->> 'burst')::int);
      end if;
      if content ? 'limits' then
        perform set_limit_defaults(content -> 'limits');
      end if;`,
  },
  "recovery.accept": {
    role: "keys",
    members: ["epoch", "losses"],
    writes: { "recovery.accept": null },
    makes: `perform accept_losses((content ->> 'epoch')::int, content -> 'losses');`,
  },
  "operator.add": {
    role: "keys",
    members: ["name", "roles"],
    writes: { "operator.add": "name" },
    isOwners: true,
    makes: `
      perform check_new_operator(content ->> 'name');
      perform check_roles(texts_of(content -> 'roles'));`,
  },
  "operator.set": {
    role: "keys",
    members: ["name", "roles"],
    writes: { "operator.set": "name" },
    isOwners: true,
    makes: `
      perform check_operator(content ->> 'name');
      perform check_roles(texts_of(content -> 'roles'));`,
  },
  "operator.remove": {
    role: "keys",
    members: ["name"],
    writes: { "operator.remove": "name" },
    isOwners: true,
    makes: `perform check_operator(content ->> 'name');`,
  },
  "operator_key.add": {
    role: "keys",
    members: ["login", "public_key"],
    writes: { "operator_key.add": "login" },
    makes: `perform add_operator_key(content ->> 'login', content ->> 'public_key');`,
  },
  "registry.adopt": {
    role: "keys",
    members: ["rows"],
    writes: { "registry.adopt": null },
    signs: {
      readers: ["registry", "payees", "trust"],
      rows: (_, { rows }) => (rows as readonly RegistryRow[]).map(([name, value]) => [name, value]),
    },
    makes: `perform adopt_registry(content -> 'rows');`,
  },
  "approval.adopt": {
    role: "keys",
    members: ["approvals"],
    writes: { "approval.adopt": null },
    makes: `perform adopt_approvals(content -> 'approvals');`,
  },
} as const satisfies Readonly<Record<string, Change>>;

export type ChangeKind = keyof typeof CHANGES;

type KeysOf<Writes> = Writes extends unknown ? keyof Writes : never;

/** The actions of the audit rows that changes write. */
export type ChangeAction = KeysOf<(typeof CHANGES)[ChangeKind]["writes"]>;

/** Returns the rows that a proposal of this kind signs for; none for a kind that changes no such row. */
export const rowsOf = (kind: string, content: Content): readonly RegistryRow[] =>
  Object.hasOwn(CHANGES, kind)
    ? (CHANGES[kind as ChangeKind] as Change).signs?.rows(content.client_id as string, content) ?? []
    : [];

/** The name of what a proposal replaces; undefined if its change only adds something. */
export function replacedBy(kind: string, content: Readonly<Record<string, unknown>>): string | undefined {
  const { replaces } = (CHANGES as Readonly<Record<string, Change>>)[kind] ?? {};
  return replaces === "partner" ? `${kind} ${content.client_id}` : replaces && kind;
}

/** The functions that make a change, and that its role may call. */
export const functionsOf = ({ makes, isOwners }: Change): readonly string[] =>
  isOwners ? [] : Array.from(makes.matchAll(/perform (?!check_|refuse_)(\w+)\(/g), ([, name]) => name!);
