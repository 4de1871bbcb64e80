import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Jwk, jwkThumbprint } from "@gold-partner/jws";
import { formatGrams, GOLD_DEFAULT_MAX_TENTH_MILLIGRAMS } from "@gold-partner/protocol";
import type { Invocation } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { PRIVATE_FILE, replaceFile } from "../../new_file.ts";
import { certificateFingerprint } from "../../pki/certificate.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import { writeCsr } from "../../pki/mod.ts";
import { writePem } from "../../pki/pem.ts";
import { issueCertificate } from "../credentials/cert.ts";
import { createPartner } from "./partner.ts";
import { LIMIT_NAMES } from "./partner_limits.ts";

/** The folder for the load partners' files, and the settings that all load partners share. */
export interface LoadSite {
  readonly folder: string;
  readonly baseUrl: string;
  /** The PEM file of the CA that signed the server's certificate. */
  readonly ca: string;
  readonly ips: readonly string[];
  readonly webhook: string;
  /** Whether each new partner needs another person's approval. */
  readonly twoPeople: boolean;
}

export interface LoadTerms {
  /** The partner's file is named `partner-NAME.json`. */
  readonly name: string;
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly limited: boolean;
}

/**
 * A load partner's credentials, as its partner file holds them. They cannot be read from the database, which
 * stores no private key of a partner and no client secret.
 */
interface Held {
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhook_secret: string;
  readonly cert_pem: string;
  readonly key_pem: string;
  readonly signing_jwk: Jwk;
}

/** Thrown if new partners and bars need another person's approval, which this command cannot give. */
export class NeedsTwoPeople extends Failure {
  constructor() {
    super(
      EXIT.refused,
      "refused",
      "This deployment needs two people for each new partner and each bar. `gold loadtest prepare` creates them alone: run it in a sandbox with a single operator.",
    );
  }
}

const HELD_TEXTS = ["client_id", "client_secret", "webhook_secret", "cert_pem", "key_pem"] as const;
/** A test IBAN that belongs to no real account. */
const IBAN = "SA0380000000608010167519";
const PRIVATE_FOLDER = 0o700;

/**
 * Keeps the partner of an earlier run if isStanding() accepts it. Otherwise registers a new partner, as `gold
 * partner create` and `gold cert issue` do for every partner.
 */
export async function ensureLoadPartner(
  invocation: Invocation,
  site: LoadSite,
  terms: LoadTerms,
): Promise<{ clientId: string; file: string; isNew: boolean }> {
  const file = join(site.folder, `partner-${terms.name}.json`);
  const known = await readHeld(file);
  const fits = known !== undefined && await isStanding(invocation, known, site, terms);
  if (!fits && site.twoPeople) throw new NeedsTwoPeople();
  const held = fits ? known : await onboard(invocation, site, terms);
  await writeFiles(file, held, site, terms);
  if (known && !fits) await rm(join(site.folder, known.client_id), { recursive: true, force: true });
  return { clientId: held.client_id, file, isNew: !fits };
}

/** Returns undefined if the file is missing, truncated or written by another program. */
async function readHeld(file: string): Promise<Held | undefined> {
  try {
    const held = JSON.parse(await readFile(file, "utf8")) as Held;
    const isWhole = HELD_TEXTS.every((name) => typeof held[name] === "string") &&
      /^[a-z0-9_]+$/.test(held.client_id) && typeof held.signing_jwk.d === "string";
    return isWhole ? held : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the partner is registered with these terms, and whether
 * its credentials are unchanged, active and valid for another day.
 */
async function isStanding(
  { query }: Invocation,
  held: Held,
  { ips }: LoadSite,
  { ratePerSecond, burst }: LoadTerms,
): Promise<boolean> {
  const { kty, crv, x, y } = held.signing_jwk;
  const certificate = await certificateFingerprint(held.cert_pem).catch(() => "");
  const thumbprint = await jwkThumbprint({ kty, crv, x, y }).catch(() => "");
  const ranges = `{${ips.join(",")}}`;
  const [row] = await query`
    select p.public_id from gold.partner_overview p, lateral (
      select array_agg(c.kind || ' ' || case when c.kind in ('certificate', 'signing_key') then c.name else '' end order by c.kind) as credentials,
        bool_and(c.status = 'active' and coalesce(c.expires_at > clock_timestamp() + interval '1 day', true)) as stand
      from gold.credential_overview c where c.owner = p.public_id) c
    where p.public_id = ${held.client_id} and p.suspended_at is null
      and p.ips @> ${ranges}::text::text[] and p.ips <@ ${ranges}::text::text[]
      and p.rate_per_second = ${ratePerSecond} and p.burst = ${burst} and c.stand
      and c.credentials = array['certificate ' || ${certificate}::text, 'client_secret ', 'signing_key ' || ${thumbprint}::text, 'webhook_secret ']`;
  return row !== undefined;
}

async function onboard(
  invocation: Invocation,
  { folder, ips, webhook }: LoadSite,
  { name, ratePerSecond, burst }: LoadTerms,
): Promise<Held> {
  const [tls, signing] = [await generateKeyPair(), await generateKeyPair()];
  const organization = `Load test ${name}`;
  const workFolder = await mkdtemp(join(folder, "new-"));
  try {
    const [publicKey, csr, cert] = ["signing.pem", "request.csr", "certificate.pem"].map((file) =>
      join(workFolder, file)
    ) as [string, string, string];
    await writeFile(publicKey, writePem("PUBLIC KEY", signing.publicKeySpki));
    const created = await createPartner({
      ...invocation,
      // All load partners have the same IBAN.
      progress: () => {},
      values: {
        name: organization,
        iban: IBAN,
        ip: [...ips],
        webhook,
        "signing-key": [publicKey],
        rate: `${ratePerSecond}/s`,
        burst: `${burst}`,
        "max-grams": formatGrams(GOLD_DEFAULT_MAX_TENTH_MILLIGRAMS),
        ...Object.fromEntries(LIMIT_NAMES.map((name) => [name, "unlimited"])),
      },
    });
    const { client_id, client_secret, webhook_secret } = created.object as unknown as Held;
    await writeFile(csr, await writeCsr(tls, { organization, commonName: client_id }));
    await issueCertificate({ ...invocation, positionals: [client_id], values: { csr, out: cert } });
    const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", signing.privateKey);
    return {
      client_id,
      client_secret,
      webhook_secret,
      cert_pem: await readFile(cert, "utf8"),
      key_pem: tls.privateKeyPem,
      signing_jwk: { kty: kty!, crv: crv!, x: x!, y: y!, d: d! },
    };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/**
 * Writes the partner's files. Rewrites a file of an earlier run if its text has changed: the folder, the base
 * URL or the server's CA may be different now.
 */
async function writeFiles(
  file: string,
  held: Held,
  { folder, baseUrl, ca }: LoadSite,
  { limited }: LoadTerms,
): Promise<void> {
  const { client_id, client_secret, webhook_secret, cert_pem, key_pem, signing_jwk } = held;
  const own = (name: string) => join(folder, client_id, name);
  await mkdir(own(""), { recursive: true, mode: PRIVATE_FOLDER });
  const partner = {
    base_url: baseUrl,
    ca,
    cert: own("certificate.pem"),
    key: own("tls_key.pem"),
    signing_key: own("signing_key.jwk"),
    client_id,
    client_secret,
    webhook_secret,
    ca_pem: await readFile(ca, "utf8"),
    cert_pem,
    key_pem,
    signing_jwk,
    limited,
  };
  await Promise.all([
    keepFile(partner.cert, cert_pem),
    keepFile(partner.key, key_pem),
    keepFile(partner.signing_key, JSON.stringify(signing_jwk)),
  ]);
  await keepFile(file, JSON.stringify(partner, null, 2));
}

async function keepFile(file: string, text: string): Promise<void> {
  if (await readFile(file, "utf8").catch(() => undefined) !== text) {
    await replaceFile(file, text, PRIVATE_FILE);
  }
}
