// Credentials, operators and settlement accounts in a form that can be stored outside the database: names and
// hashes.
import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import type { Table } from "../tables.ts";
import { objectOf, sha256, sha256Hex } from "../values.ts";

/** One credential that is active. `name` is public or a hash, so the file holds no secret. */
export interface KeptKey {
  readonly client_id: string;
  readonly kind: string;
  readonly name: string;
}

export type Registry = Readonly<Partial<Record<Table, readonly Row[]>>>;

/** The kinds that the files of 0.5.0 and earlier do not list. */
const NEW_KINDS = ["deployment", "operator", "operator_key"];

/**
 * Returns every credential that is active at `now`, with the id of the deployment and the operators of the
 * audit trail, sorted. To write another kind to the file, add it here.
 */
export function activeKeys(
  registry: Registry,
  publicIds: ReadonlyMap<number, string>,
  operators: ReadonlyMap<string, Row>,
  now: number,
): KeptKey[] {
  const partner = ({ partner_id }: Row) => publicIds.get(partner_id) ?? `partner ${partner_id}`;
  const live = ({ retire_at }: Row) => retire_at === null || retire_at > now;
  const list = (table: Table, keep: (row: Row) => boolean, toKey: (row: Row) => KeptKey) =>
    (registry[table] ?? []).filter(keep).map(toKey);
  const keys: KeptKey[] = [
    ...list(
      "partner",
      () => true,
      (row) => ({ client_id: row.public_id, kind: "iban_sha256", name: sha256Hex(row.iban) }),
    ),
    ...list("receiver", ({ removed_at }) => removed_at === null, (row) => ({
      client_id: partner(row),
      kind: "webhook_sha256",
      name: row.number === 1 ? sha256Hex(row.url) : `${row.number} ${sha256Hex(row.url)}`,
    })),
    ...list(
      "signing_key",
      live,
      (row) => ({ client_id: partner(row), kind: "signing_key", name: row.thumbprint }),
    ),
    ...list("certificate", ({ revoked_at, not_after }) => revoked_at === null && not_after > now, (row) => ({
      client_id: partner(row),
      kind: "certificate",
      name: row.fingerprint,
    })),
    ...list(
      "client_secret",
      live,
      (row) => ({ client_id: partner(row), kind: "client_secret", name: sha256Hex(row.hash) }),
    ),
    ...list(
      "webhook_secret",
      live,
      (row) => ({ client_id: partner(row), kind: "webhook_secret", name: sha256Hex(row.sealed) }),
    ),
    ...list(
      "authority",
      ({ retired_at }) => retired_at === null,
      (row) => ({ client_id: "house", kind: "authority", name: row.fingerprint }),
    ),
    ...list(
      "deployment",
      () => true,
      ({ id }) => ({ client_id: "house", kind: "deployment", name: `${id}` }),
    ),
    ...Array.from(operators, ([login, { roles }]) => ({
      client_id: "house",
      kind: "operator",
      // The audit trail of 0.4.0 states no roles.
      name: `${login} ${roles ?? "all roles"}`,
    })),
    ...list("operator_key", ({ ended_at }) => ended_at === null, (row) => ({
      client_id: "house",
      kind: "operator_key",
      name: `${row.login} ${row.public_key}`,
    })),
    ...list("token_key", live, (row) => ({ client_id: "house", kind: "token_key", name: row.kid })),
    ...list("deployment", ({ payout_iban }) => payout_iban !== null, (row) => ({
      client_id: "house",
      kind: "payout_sha256",
      name: sha256Hex(`${row.payout_name} ${row.payout_iban} ${row.payout_bic}`),
    })),
    ...list("bar", ({ removed_at }) => removed_at === null, (row) => ({
      client_id: "house",
      kind: "bar",
      name: `${row.serial} ${row.refiner} ${row.vault_name} ${row.gross} ${row.fineness}`,
    })),
  ];
  return keys.sort((left, right) => textOf(left) < textOf(right) ? -1 : 1);
}

const textOf = ({ client_id, kind, name }: KeptKey) => `${client_id} ${kind} ${name}`;

export function compareKeys(findings: Findings, kept: readonly KeptKey[], active: readonly KeptKey[]): void {
  const left = new Set(kept.map(textOf));
  const isOld = kept.every(({ kind }) => kind !== "deployment");
  for (const key of active.filter(({ kind }) => !isOld || !NEW_KINDS.includes(kind)).map(textOf)) {
    if (!left.delete(key)) {
      findings.add("key_is_kept", key, "an entry in the file", "active, but not in the file");
    }
  }
  for (const key of left) findings.add("key_is_kept", key, "an active credential", "nothing");
}

/** The names of keys are hashes of the keys: RFC 7638 thumbprints, and SHA-256 of certificates. */
export function checkThumbprints(findings: Findings, registry: Registry): void {
  for (const { thumbprint, jwk } of registry.signing_key ?? []) {
    findings.expect("key_is_thumbprint", `signing_key ${thumbprint}`, thumbprintOf(jwk), thumbprint);
  }
  for (const { kid, public_jwk } of registry.token_key ?? []) {
    findings.expect("key_is_thumbprint", `token_key ${kid}`, thumbprintOf(public_jwk), kid);
  }
  for (const { fingerprint, certificate } of registry.authority ?? []) {
    findings.expect("key_is_thumbprint", `authority ${fingerprint}`, fingerprintOf(certificate), fingerprint);
  }
}

function thumbprintOf(json: string): string {
  const { crv, kty, x, y, ...others } = objectOf(json);
  // The service skips a key that has other members.
  if (Object.keys(others).length > 0) return "the hash of a key with crv, kty, x and y only";
  return sha256(JSON.stringify({ crv, kty, x, y })).toString("base64url");
}

/**
 * The whole text must be one PEM certificate. Otherwise text could be added that the fingerprint does not
 * cover.
 */
function fingerprintOf(pem: string): string {
  const [, base64] =
    /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE-----\n?$/.exec(pem) ?? [];
  return base64 === undefined ? "the hash of one PEM certificate" : sha256Hex(Buffer.from(base64, "base64"));
}
