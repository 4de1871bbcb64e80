import { type CryptoKey, importVerifyingKey, type Jwk } from "@gold-partner/jws";
import type { Sql } from "postgres";
import { Refusal } from "../../refusal.ts";
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
}

export interface TokenKeyRecord extends Period {
  readonly kid: string;
  readonly publicJwk: Jwk;
  readonly sealed: Uint8Array;
  readonly sealingKey: string;
}

export interface Snapshot {
  readonly version: string;
  readonly environment: string;
  readonly publicBaseUrl: string;
  /** Where webhook receivers may be. */
  readonly loopbackReceivers: boolean;
  readonly webhookPorts: readonly number[];
  readonly certificates: ReadonlyMap<string, RegisteredCertificate>;
  readonly partners: ReadonlyMap<string, Partner>;
  /** Who has named a URL for webhooks. */
  readonly receivers: ReadonlySet<number>;
  readonly tokenKeys: readonly TokenKeyRecord[];
}

export interface Registry {
  /** The last snapshot; refuses with 503 when it is older than it may be. */
  snapshot(): Snapshot;
  /** Reads anew at once: for a caller that is not in the snapshot but may be in the database. */
  refresh(): Promise<Snapshot>;
  /** Milliseconds by the database's time. */
  now(): number;
  isFresh(): boolean;
  stop(): void;
}

const POLL_MS = 1000;
const MAX_AGE_MS = 5000;

/** Keeps what admission must know in memory, re-read every second; one number tells whether it changed. */
export async function openRegistry(sql: Sql, monotonicMs: () => number): Promise<Registry> {
  let snapshot: Snapshot | undefined;
  let readAtMs = -Infinity;
  let databaseMs = 0;
  let databaseReadAtMs = 0;
  let reading: Promise<Snapshot> | undefined;
  let next: Promise<Snapshot> | undefined;

  const read = async (): Promise<Snapshot> => {
    const before = monotonicMs();
    const [row] = await sql<{ version: string; at: Date; document: RegistryDocument | null }[]>`
      select version::text, at, document from gold.read_registry(${snapshot?.version ?? null}::text::bigint)`;
    if (!row) throw new Error("The database has no deployment yet: run `gold db migrate` and settle it.");
    // The database read its clock somewhere between question and answer. The machine's own clock is never asked: it may be wrong,
    // and it may jump.
    databaseMs = row.at.getTime();
    databaseReadAtMs = (before + monotonicMs()) / 2;
    if (row.document) snapshot = await readDocument(row.version, row.document);
    readAtMs = before;
    return snapshot!;
  };
  const refresh = (): Promise<Snapshot> => reading ??= read().finally(() => reading = undefined);
  // A read that is under way may have begun before the change that the caller knows of.
  const refreshAfter = (): Promise<Snapshot> => {
    next ??= (reading ?? Promise.resolve()).catch(() => {}).then(() => {
      next = undefined;
      return refresh();
    });
    return next;
  };

  await refresh();
  const timer = setInterval(() => void refresh().catch(() => {}), POLL_MS);
  const isFresh = () => monotonicMs() - readAtMs <= MAX_AGE_MS;
  return {
    snapshot() {
      if (!isFresh()) {
        throw new Refusal("service_unavailable", "The service cannot read its registry of partners.");
      }
      return snapshot!;
    },
    refresh: refreshAfter,
    now: () => Math.round(databaseMs + monotonicMs() - databaseReadAtMs),
    isFresh,
    stop: () => clearInterval(timer),
  };
}

interface PeriodDocument {
  readonly not_before: string;
  readonly retire_at: string | null;
}

interface RegistryDocument {
  readonly environment: string;
  readonly public_base_url: string;
  readonly loopback_receivers: boolean;
  readonly webhook_ports: readonly number[];
  readonly receivers: readonly number[];
  readonly token_keys:
    readonly (PeriodDocument & { kid: string; public_jwk: Jwk; sealed: string; sealing_key: string })[];
  readonly partners: readonly {
    readonly id: number;
    readonly public_id: string;
    readonly suspended: boolean;
    readonly rate_per_second: number;
    readonly burst: number;
    readonly maximum_grams: string;
    readonly admission_version: string;
    readonly ips: readonly string[];
    readonly certificates: readonly {
      fingerprint: string;
      not_before: string;
      not_after: string;
      revoked: boolean;
    }[];
    readonly secrets: readonly (PeriodDocument & { id: number; hash: string })[];
    readonly signing_keys: readonly (PeriodDocument & { thumbprint: string; kid: string | null; jwk: Jwk })[];
  }[];
}

const periodOf = ({ not_before, retire_at }: PeriodDocument): Period => ({
  notBeforeMs: Date.parse(not_before),
  retireAtMs: retire_at === null ? Infinity : Date.parse(retire_at),
});

export const isActive = ({ notBeforeMs, retireAtMs }: Period, nowMs: number): boolean =>
  notBeforeMs <= nowMs && nowMs < retireAtMs;

async function readDocument(version: string, document: RegistryDocument): Promise<Snapshot> {
  const certificates = new Map<string, RegisteredCertificate>();
  const partners = new Map<string, Partner>();
  for (const entry of document.partners) {
    const partner: Partner = {
      id: entry.id,
      publicId: entry.public_id,
      suspended: entry.suspended,
      admissionVersion: entry.admission_version,
      rate: { perSecond: entry.rate_per_second, burst: entry.burst },
      maximumTenthMilligrams: BigInt(entry.maximum_grams),
      ips: entry.ips,
      secrets: entry.secrets.map((secret) => ({ id: secret.id, hash: secret.hash, ...periodOf(secret) })),
      signingKeys: await Promise.all(entry.signing_keys.map(async (one) => ({
        thumbprint: one.thumbprint,
        kid: one.kid,
        key: await importVerifyingKey(one.jwk),
        ...periodOf(one),
      }))),
    };
    partners.set(partner.publicId, partner);
    for (const certificate of entry.certificates) {
      certificates.set(certificate.fingerprint, {
        partner,
        notBeforeMs: Date.parse(certificate.not_before),
        notAfterMs: Date.parse(certificate.not_after),
        revoked: certificate.revoked,
      });
    }
  }
  const tokenKeys = document.token_keys.map((key) => ({
    kid: key.kid,
    publicJwk: key.public_jwk,
    sealed: Uint8Array.from(atob(key.sealed.replaceAll("\n", "")), (char) => char.charCodeAt(0)),
    sealingKey: key.sealing_key,
    ...periodOf(key),
  }));
  return {
    version,
    environment: document.environment,
    publicBaseUrl: document.public_base_url,
    loopbackReceivers: document.loopback_receivers,
    webhookPorts: document.webhook_ports,
    certificates,
    partners,
    receivers: new Set(document.receivers),
    tokenKeys,
  };
}
