import {
  allowedIpsRow,
  certificateRow,
  clientSecretRow,
  type RegistryRow,
  type SignedRows,
  signingKeyRow,
  UnsignedRow,
} from "@gold-partner/approvals";
import { type CryptoKey, importVerifyingKey, type Jwk } from "@gold-partner/jws";
import type { SimulatedWebhooks } from "@gold-partner/protocol";
import ipaddr from "ipaddr.js";
import type { RateTerms } from "../rate/rate_limiter.ts";

interface Period {
  readonly notBeforeMs: number;
  readonly retireAtMs: number;
}

interface SigningKey extends Period {
  readonly thumbprint: string;
  readonly kid: string | null;
  readonly key: CryptoKey;
}

interface RegisteredCertificate {
  readonly partner: Partner;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly revoked: boolean;
}

export interface ClientSecret extends Period {
  readonly id: number;
  readonly hash: string;
}

/** The armed simulations of a partner of the sandbox. They affect its next requests and webhooks. */
export interface Simulations {
  readonly failure?: { readonly until: string };
  readonly webhooks?: {
    readonly kind: SimulatedWebhooks["kind"];
    readonly seconds: number | null;
    /** The sequence number of the first event that the simulation changes, and the number of these events. */
    readonly from: number;
    readonly count: number;
    readonly until: string;
  };
}

export interface Partner {
  readonly id: number;
  readonly publicId: string;
  readonly suspended: boolean;
  readonly admissionVersion: string;
  readonly rate: RateTerms;
  readonly maximumTenthMilligrams: bigint;
  readonly ips: readonly string[];
  readonly secrets: readonly ClientSecret[];
  readonly signingKeys: readonly SigningKey[];
  /** Null if no simulation is armed, and always in production. */
  readonly simulations: Simulations | null;
}

export interface TokenKeyRecord extends Period {
  readonly kid: string;
  readonly publicJwk: Jwk;
  readonly key: CryptoKey;
  readonly sealed: Uint8Array;
  readonly sealingKey: string;
}

/** A stored row that the service cannot read. It is left out; all other rows stay in force. */
export interface MalformedRow {
  /** Undefined for a row that belongs to no partner. */
  readonly clientId?: string;
  /** Kind and name of the row, such as `signing_key` and a thumbprint. */
  readonly row: string;
  readonly code: string;
}

export interface Snapshot {
  readonly version: string;
  readonly environment: string;
  readonly publicBaseUrl: string;
  /** Whether webhook receivers may have loopback addresses. */
  readonly loopbackReceivers: boolean;
  readonly webhookPorts: readonly number[];
  readonly certificates: ReadonlyMap<string, RegisteredCertificate>;
  readonly partners: ReadonlyMap<string, Partner>;
  /** The partners that have a webhook URL. */
  readonly receivers: ReadonlySet<number>;
  /** The armed simulation of webhooks, by partner number. */
  readonly disturbed: ReadonlyMap<number, NonNullable<Simulations["webhooks"]>>;
  readonly tokenKeys: readonly TokenKeyRecord[];
  readonly malformedRows: readonly MalformedRow[];
}

interface PeriodDocument {
  readonly not_before: string;
  readonly retire_at: string | null;
}

interface PartnerDocument {
  readonly id: number;
  readonly public_id: string;
  readonly suspended: boolean;
  readonly rate_per_second: number;
  readonly burst: number;
  readonly maximum_grams: string;
  readonly admission_version: string;
  readonly simulations: Simulations | null;
  readonly ips: readonly string[];
  readonly certificates: readonly {
    fingerprint: string;
    not_before: string;
    not_after: string;
    revoked: boolean;
  }[];
  readonly secrets: readonly (PeriodDocument & { id: number; hash: string })[];
  readonly signing_keys: readonly (PeriodDocument & { thumbprint: string; kid: string | null; jwk: Jwk })[];
}

/** The document that the SQL function read_registry returns. */
export interface RegistryDocument {
  readonly environment: string;
  readonly public_base_url: string;
  readonly loopback_receivers: boolean;
  readonly webhook_ports: readonly number[];
  readonly receivers: readonly number[];
  readonly token_keys:
    readonly (PeriodDocument & { kid: string; public_jwk: Jwk; sealed: string; sealing_key: string })[];
  readonly partners: readonly PartnerDocument[];
}

/**
 * Reads each row separately, so that a malformed row affects only its owner. With `signed`, a row for which
 * two people did not sign is skipped like a malformed one.
 */
export async function readDocument(
  version: string,
  document: RegistryDocument,
  signed?: SignedRows,
): Promise<Snapshot> {
  const demand = (row: RegistryRow) => signed?.demand(row);
  const certificates = new Map<string, RegisteredCertificate>();
  const partners = new Map<string, Partner>();
  const malformedRows: MalformedRow[] = [];
  for (const entry of document.partners) {
    const clientId = entry.public_id;
    const readRows = <Row, Value>(
      rows: readonly Row[],
      nameOf: (row: Row) => string,
      read: (row: Row) => Value | Promise<Value>,
    ) => readEach(rows, read, (row, code) => malformedRows.push({ clientId, row: nameOf(row), code }));
    const partner: Partner = {
      id: entry.id,
      publicId: clientId,
      suspended: entry.suspended,
      admissionVersion: entry.admission_version,
      rate: { perSecond: entry.rate_per_second, burst: entry.burst },
      maximumTenthMilligrams: BigInt(entry.maximum_grams),
      simulations: entry.simulations,
      ips: await readRows(entry.ips, (range) => `allowed_ip ${range}`, (range) => {
        requireSignedRange(clientId, range, signed);
        return readRange(range);
      }),
      secrets: await readRows(
        entry.secrets,
        ({ id }) => `client_secret ${id}`,
        (row) => {
          demand(clientSecretRow(clientId, row.hash));
          return { id: row.id, hash: readHash(row.hash), ...periodOf(row) };
        },
      ),
      signingKeys: await readRows(
        entry.signing_keys,
        ({ thumbprint }) => `signing_key ${thumbprint}`,
        (row) => {
          demand(signingKeyRow(clientId, row));
          return readSigningKey(row);
        },
      ),
    };
    partners.set(clientId, partner);
    const registered = await readRows(
      entry.certificates,
      ({ fingerprint }) => `certificate ${fingerprint}`,
      (row) => {
        const life = lifeOf(row);
        demand(certificateRow(clientId, row));
        return [row.fingerprint, { partner, ...life, revoked: row.revoked }] as const;
      },
    );
    for (const [fingerprint, certificate] of registered) certificates.set(fingerprint, certificate);
  }
  return {
    version,
    environment: document.environment,
    publicBaseUrl: document.public_base_url,
    loopbackReceivers: document.loopback_receivers,
    webhookPorts: document.webhook_ports,
    certificates,
    partners,
    receivers: new Set(document.receivers),
    disturbed: new Map(
      document.partners.flatMap(({ id, simulations }) =>
        simulations?.webhooks ? [[id, simulations.webhooks] as const] : []
      ),
    ),
    tokenKeys: await readEach(
      document.token_keys,
      readTokenKey,
      ({ kid }, code) => malformedRows.push({ row: `token_key ${kid}`, code }),
    ),
    malformedRows,
  };
}

async function readEach<Row, Value>(
  rows: readonly Row[],
  read: (row: Row) => Value | Promise<Value>,
  onMalformed: (row: Row, code: string) => void,
): Promise<Value[]> {
  const values = await Promise.all(rows.map(async (row) => {
    try {
      return [await read(row)];
    } catch (error) {
      const { code } = error as { code?: unknown };
      onMalformed(row, typeof code === "string" ? code : "unreadable");
      return [];
    }
  }));
  return values.flat(1) as Value[];
}

/** Two people sign for all ranges of a partner together. A range that a superuser added is not among them. */
function requireSignedRange(client: string, range: string, signed: SignedRows | undefined): void {
  const [name] = allowedIpsRow(client, []);
  if (signed && !signed.valueOf(name)?.split(" ").includes(range)) {
    throw new UnsignedRow(`Two people have not signed for ${range} in ${name}.`);
  }
}

/** The hash of a secret is compared with a SHA-256, and a comparison with another length would throw. */
function readHash(hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new RangeError("not a SHA-256");
  return hash;
}

function readRange(range: string): string {
  ipaddr.parseCIDR(range);
  return range;
}

const readSigningKey = async (
  row: PartnerDocument["signing_keys"][number],
): Promise<SigningKey> => ({
  thumbprint: row.thumbprint,
  kid: row.kid,
  key: await readKey(row.jwk),
  ...periodOf(row),
});

const readTokenKey = async (row: RegistryDocument["token_keys"][number]): Promise<TokenKeyRecord> => ({
  kid: row.kid,
  publicJwk: row.public_jwk,
  key: await readKey(row.public_jwk),
  sealed: Uint8Array.from(atob(row.sealed.replaceAll("\n", "")), (char) => char.charCodeAt(0)),
  sealingKey: row.sealing_key,
  ...periodOf(row),
});

/** importVerifyingKey() also accepts PEM text, but the column must hold a JWK, so a string is refused. */
function readKey(jwk: Jwk): Promise<CryptoKey> {
  if (typeof jwk !== "object") throw new TypeError("not a JWK");
  return importVerifyingKey(jwk);
}

const lifeOf = (row: { readonly not_before: string; readonly not_after: string }) => ({
  notBeforeMs: readInstant(row.not_before),
  notAfterMs: readInstant(row.not_after),
});

const periodOf = ({ not_before, retire_at }: PeriodDocument): Period => ({
  notBeforeMs: readInstant(not_before),
  retireAtMs: retire_at === null ? Infinity : readInstant(retire_at),
});

/**
 * Refuses `infinity` and years BC, which Postgres can also store. Date.parse() turns both into NaN, and NaN
 * is neither earlier nor later than any instant.
 */
function readInstant(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError("not an instant");
  return ms;
}

export const isActive = ({ notBeforeMs, retireAtMs }: Period, nowMs: number): boolean =>
  notBeforeMs <= nowMs && nowMs < retireAtMs;
