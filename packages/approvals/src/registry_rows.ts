import { canonicalJson, type CanonicalValue } from "@gold-partner/canonical";

/**
 * The name and the content of a row that two people sign. Programs and `gold registry adopt` build the pair
 * from the stored row, and CHANGES builds it from the content of a proposal.
 */
export type RegistryRow = readonly [name: string, value: string];

export interface CertificateRow {
  readonly fingerprint: unknown;
  readonly not_before: unknown;
  readonly not_after: unknown;
}

export interface SigningKeyRow {
  readonly thumbprint: unknown;
  readonly kid?: unknown;
  readonly jwk: unknown;
}

export const certificateRow = (client: string, row: CertificateRow): RegistryRow => [
  `certificate ${row.fingerprint}`,
  `${client} ${instant(row.not_before)} ${instant(row.not_after)}`,
];

export const signingKeyRow = (
  client: string,
  { thumbprint, kid = null, jwk }: SigningKeyRow,
): RegistryRow => [
  `signing_key ${client} ${thumbprint}`,
  canonicalJson([kid, jwk] as CanonicalValue),
];

/** `hash` is in hexadecimal. */
export const clientSecretRow = (client: string, hash: unknown): RegistryRow => [
  `client_secret ${client} ${hash}`,
  "",
];

/** An authority that signs partners' certificates. The whole PEM text is signed. */
export const authorityRow = (certificate: string): RegistryRow => [`authority ${certificate}`, ""];

/** All ranges of a partner, because each change replaces all of them. */
export const allowedIpsRow = (client: string, ranges: readonly string[]): RegistryRow => [
  `allowed_ips ${client}`,
  [...new Set(ranges)].sort().join(" "),
];

/** An IBAN that a partner has or had: a withdrawal goes to the IBAN that was registered when it was made. */
export const ibanRow = (client: string, iban: unknown): RegistryRow => [`iban ${client} ${iban}`, ""];

/** A name that a payment document gives a partner, in the form NFC. */
export const nameRow = (client: string, name: unknown): RegistryRow => [
  `name ${client} ${`${name}`.normalize("NFC")}`,
  "",
];

/** The account from which withdrawals are paid. */
export const payerRow = ({ name, iban, bic }: Payer): RegistryRow => [
  `payout_account ${canonicalJson([name.normalize("NFC"), iban, bic])}`,
  "",
];

/** The payment document of a batch. `sha256` is in hexadecimal. */
export const paymentRow = (batch: unknown, sha256: unknown): RegistryRow => [`payment ${batch}`, `${sha256}`];

export interface Payer {
  readonly name: string;
  readonly iban: string;
  readonly bic: string;
}

/** The rows of a partner as the SQL functions read_registry and read_rows state them. */
interface PartnerRows {
  readonly public_id: string;
  readonly ips: readonly string[];
  readonly certificates: readonly CertificateRow[];
  readonly secrets: readonly { readonly hash: string }[];
  readonly signing_keys: readonly SigningKeyRow[];
}

/** What the SQL function read_rows returns. */
export interface RowDocument {
  readonly partners: readonly PartnerRows[];
  /** The certificates of the trusted authorities, as PEM. */
  readonly authorities: readonly string[];
  readonly payees: readonly { readonly client_id: string; readonly name: string; readonly iban: string }[];
  readonly payer: Payer | null;
}

/** Returns every row that needs two signatures. Leaves out malformed rows, which programs skip. */
export const storedRows = (
  { partners, authorities, payees, payer }: RowDocument,
): readonly RegistryRow[] => [
  ...partners.flatMap((partner) => partnerRows(partner)),
  ...authorities.map(authorityRow),
  ...payees.flatMap(({ client_id, name, iban }) => [nameRow(client_id, name), ibanRow(client_id, iban)]),
  ...(payer ? [payerRow(payer)] : []),
];

const partnerRows = (partner: PartnerRows, client = partner.public_id): readonly RegistryRow[] => [
  allowedIpsRow(client, partner.ips),
  ...partner.certificates.filter(hasTimes).map((row) => certificateRow(client, row)),
  ...partner.secrets.map(({ hash }) => clientSecretRow(client, hash)),
  ...partner.signing_keys.map((row) => signingKeyRow(client, row)),
];

const hasTimes = ({ not_before, not_after }: CertificateRow): boolean =>
  [not_before, not_after].every((time) => !Number.isNaN(Date.parse(`${time}`)));

/** Returns the time in whole milliseconds, as both sides state it. Throws a RangeError if it is invalid. */
const instant = (value: unknown): string => new Date(value as string).toISOString();
