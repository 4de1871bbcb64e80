import { setTimeout as sleep } from "node:timers/promises";
import { type OperatorKeys, requireDeployment, SignedRegistry, UNVERIFIED } from "@gold-partner/approvals";
import { type KnownAddresses, readPartnerAddresses } from "../front/partner_addresses.ts";
import { writeAddressMap } from "../front/runtime_api.ts";
import { readAuthorities, type TrustedAuthorities } from "./authority.ts";
import { composeBundle } from "./bundle.ts";
import { openConnection } from "./connection.ts";
import { type Complaint, createComplaints, createLog, fieldsOf } from "./log.ts";
import { writeTrust } from "./trust_folder.ts";

export interface TrustSyncOptions {
  readonly databaseUrl: string;
  readonly folder: string;
  /**
   * The socket of HAProxy's runtime API, to which partners' addresses are written. Undefined without HAProxy.
   */
  readonly frontSocket?: string | undefined;
  /** The file of OPERATOR_KEYS. With it, a CA or address counts only if two people signed for it. */
  readonly operatorKeys?: OperatorKeys | undefined;
  readonly pollMs: number;
  /** This machine's time, in Unix milliseconds. The proxy checks expiry against the same clock. */
  readonly now: () => number;
  /** Writes one line of the log. */
  readonly write: (line: string) => void;
}

export interface TrustSync {
  stop(): Promise<void>;
}

/** Whether the operators' first keys are registered, and two people have signed for every CA and address. */
export async function isEverythingSigned(databaseUrl: string): Promise<boolean> {
  const sql = openConnection(databaseUrl);
  try {
    const [row] = await sql`select gold.signatures_demanded() as demanded`;
    if (!row!.demanded) return false;
    const read = [
      readAuthorities(sql, undefined, UNVERIFIED),
      readPartnerAddresses(sql, undefined, UNVERIFIED),
    ];
    return (await Promise.all(read)).every(({ unsigned }) => unsigned === 0);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Why this file of OPERATOR_KEYS cannot be used with this database, if it cannot. */
export async function readDeploymentFault(
  databaseUrl: string,
  keys: OperatorKeys,
): Promise<string | undefined> {
  const sql = openConnection(databaseUrl);
  const [row] = await sql`select gold.read_trust_approvals() as approvals`.finally(() =>
    sql.end({ timeout: 1 })
  );
  try {
    requireDeployment(keys, row!.approvals);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Writes the trust folder once, from the database. Throws if that fails. */
export async function writeTrustOnce(
  { databaseUrl, folder, operatorKeys, now, write }: TrustSyncOptions,
): Promise<void> {
  const sql = openConnection(databaseUrl);
  const log = createLog(write, now);
  try {
    const known = await readAuthorities(sql, undefined, operatorKeys && new SignedRegistry(operatorKeys));
    const { trust, complaints } = composeBundle(known.authorities, now());
    createComplaints(log, now)([...complaints, ...complaintsOf(known)]);
    await writeTrust(folder, trust);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Keeps the files that the proxy watches equal to the database. The proxy refuses a revoked certificate from
 * the first handshake after the next poll. If the database cannot be read or has no CA to trust, the last
 * files stay.
 */
export function syncTrust(
  { databaseUrl, folder, frontSocket, operatorKeys, pollMs, now, write }: TrustSyncOptions,
): TrustSync {
  const signatures = operatorKeys && new SignedRegistry(operatorKeys);
  const sql = openConnection(databaseUrl);
  const log = createLog(write, now);
  const complain = createComplaints(log, now);
  if (!operatorKeys) {
    log("warn", "OPERATOR_KEYS is off: a superuser of the database can add authorities and addresses alone", {
      setting: "OPERATOR_KEYS",
    });
  }
  const stopping = new AbortController();
  let known: TrustedAuthorities | undefined;

  const turn = async (): Promise<readonly Complaint[]> => {
    const found: Complaint[] = [];
    try {
      known = await readAuthorities(sql, known, signatures);
    } catch (error) {
      found.push({
        event: "the database cannot be read, so the proxy keeps the last CAs and lists",
        ...fieldsOf(error),
      });
    }
    // Continue even if nothing was read, because known CAs and lists expire by the clock.
    if (!known) return found;
    const { trust, complaints } = composeBundle(known.authorities, now());
    found.push(...complaints, ...complaintsOf(known));
    if (trust.certificates.length === 0) {
      return [...found, {
        event: "the database has no CA to trust, so the proxy keeps the last CAs and lists",
      }];
    }
    try {
      if (await writeTrust(folder, trust)) {
        log("info", "trust written", {
          authorities: trust.certificates.length,
          revocation_lists: trust.revocationLists.length,
        });
      }
    } catch (error) {
      found.push({
        event: "the trust folder cannot be written, so the proxy keeps the last CAs and lists",
        ...fieldsOf(error),
      });
    }
    return found;
  };

  let partners: KnownAddresses | undefined;
  const turnFront = async (socket: string): Promise<readonly Complaint[]> => {
    try {
      partners = await readPartnerAddresses(sql, partners, signatures);
    } catch (error) {
      if (!partners) {
        return [{
          event: "the database cannot be read, so HAProxy knows no partner's address",
          ...fieldsOf(error),
        }];
      }
    }
    try {
      if (await writeAddressMap(socket, partners.addresses)) {
        log("info", "addresses written", { addresses: partners.addresses.size });
      }
      return partners.unsigned === 0 ? [] : [{
        event: "two people did not sign for a partner's addresses, so HAProxy does not know them",
        partners: partners.unsigned,
      }];
    } catch (error) {
      return [{ event: "HAProxy does not accept the partners' addresses", ...fieldsOf(error) }];
    }
  };

  const work = (async () => {
    while (!stopping.signal.aborted) {
      const found = await turn();
      complain(frontSocket === undefined ? found : [...found, ...await turnFront(frontSocket)]);
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await work;
      await sql.end({ timeout: 1 });
    },
  };
}

const complaintsOf = ({ unsigned }: TrustedAuthorities): readonly Complaint[] =>
  unsigned === 0
    ? []
    : [{ event: "two people did not sign for a CA, so the proxy does not trust it", authorities: unsigned }];
