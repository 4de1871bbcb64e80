import { setTimeout as sleep } from "node:timers/promises";
import { type KnownAddresses, readPartnerAddresses } from "../front/partner_addresses.ts";
import { writeAddressMap } from "../front/runtime_api.ts";
import { readAuthorities, type TrustedAuthorities } from "./authority.ts";
import { composeBundle } from "./bundle.ts";
import { openConnection } from "./connection.ts";
import { type Complaint, createComplaints, createLog, fieldsOf } from "./log.ts";
import { writeTrust } from "./trust_folder.ts";

export interface KeeperOptions {
  readonly databaseUrl: string;
  readonly folder: string;
  /** HAProxy's runtime API, which gets the addresses of partners; undefined where no HAProxy stands in front. */
  readonly frontSocket?: string | undefined;
  readonly pollMs: number;
  /** The machine's own time, by which the proxy judges, too. */
  readonly now: () => number;
  /** Takes a line of the log. */
  readonly write: (line: string) => void;
}

export interface Keeper {
  stop(): Promise<void>;
}

/** Writes what the database says now, or throws. */
export async function writeTrustOnce({ databaseUrl, folder, now, write }: KeeperOptions): Promise<void> {
  const sql = openConnection(databaseUrl);
  const log = createLog(write, now);
  try {
    const { authorities } = await readAuthorities(sql);
    const { trust, complaints } = composeBundle(authorities, now());
    createComplaints(log, now)(complaints);
    await writeTrust(folder, trust);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Keeps the files that the proxy watches true to the database: a revoked certificate is refused at the next handshake but for
 * the time of one poll. While the database is away, or has nobody to trust, the last files stay.
 */
export function keepTrust({ databaseUrl, folder, frontSocket, pollMs, now, write }: KeeperOptions): Keeper {
  const sql = openConnection(databaseUrl);
  const log = createLog(write, now);
  const complain = createComplaints(log, now);
  const stopping = new AbortController();
  let known: TrustedAuthorities | undefined;

  const turn = async (): Promise<readonly Complaint[]> => {
    const found: Complaint[] = [];
    try {
      known = await readAuthorities(sql, known);
    } catch (error) {
      found.push({ event: "the database cannot be read, so the last trust stays", ...fieldsOf(error) });
    }
    // Also where nothing was read: what is known ends by the clock.
    if (!known) return found;
    const { trust, complaints } = composeBundle(known.authorities, now());
    found.push(...complaints);
    if (trust.certificates.length === 0) {
      return [...found, { event: "the database has nobody to trust, so the last trust stays" }];
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
        event: "the trust folder cannot be written, so the last trust stays",
        ...fieldsOf(error),
      });
    }
    return found;
  };

  let partners: KnownAddresses | undefined;
  const turnFront = async (socket: string): Promise<readonly Complaint[]> => {
    try {
      partners = await readPartnerAddresses(sql, partners);
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
      return [];
    } catch (error) {
      return [{ event: "HAProxy does not take partners' addresses", ...fieldsOf(error) }];
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
