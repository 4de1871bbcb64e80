import { type ApprovalDocument, type OperatorKeys, SignedRegistry } from "@gold-partner/approvals";
import type { Query } from "../../database/query.ts";
import { errorFields, type Log } from "../../operations/log.ts";
import { Refusal } from "../../http/refusal.ts";
import { type MalformedRow, readDocument, type RegistryDocument, type Snapshot } from "./snapshot.ts";

export interface Registry {
  /** Returns the last snapshot. Refuses with 503 if the last successful read began more than 5 s ago. */
  snapshot(): Snapshot;
  /**
   * Reads the database now. The last snapshot may lack a new credential, or contain an old admission version.
   */
  refresh(): Promise<Snapshot>;
  /** The database's time in Unix milliseconds, as the service estimates it. */
  now(): number;
  isFresh(): boolean;
  /**
   * How many rows the last snapshot skipped: the service cannot read them, or two people did not sign for
   * them.
   */
  malformedRows(): number;
  stop(): void;
}

interface RegistryRead {
  readonly version: string;
  readonly at: Date;
  readonly document: RegistryDocument | null;
  readonly approvals: ApprovalDocument | null;
}

const NO_DEPLOYMENT =
  "The database has no deployment yet: run `gold db migrate` with --env, --base-url, --pepper and --sealing-key.";
const POLL_MS = 1000;
// Without a newer reading of the rows, the service answers 503. So a read sees a revoked credential for at most
// this long. A write never does, because the database compares its admission version.
const MAX_AGE_MS = 5000;

/**
 * Keeps in memory the rows that admission and delivery need. Polls every second; the database sends the rows
 * only if their version has changed. With `operatorKeys`, it skips rows for which two people did not sign.
 */
export async function openRegistry(
  sql: Query,
  monotonicMs: () => number,
  log: Log,
  operatorKeys?: OperatorKeys,
): Promise<Registry> {
  const signatures = operatorKeys && new SignedRegistry(operatorKeys);
  const report = createReport(log);
  let snapshot: Snapshot | undefined;
  let readAtMs = -Infinity;
  let databaseMs = 0;
  let databaseReadAtMs = 0;
  let reading: Promise<Snapshot> | undefined;
  let next: Promise<Snapshot> | undefined;

  const read = async (): Promise<Snapshot> => {
    const before = monotonicMs();
    const [row] = await sql<RegistryRead[]>`
      with read as (select * from gold.read_registry(${snapshot?.version ?? null}::text::bigint))
      select version::text, at, document,
        case when document is not null and ${
      signatures !== undefined
    } then gold.read_registry_approvals() end as approvals
      from read`;
    if (!row) throw new Error(NO_DEPLOYMENT);
    // Assume that the database read its clock halfway between query and answer. The machine's own clock is
    // not used, because it can be wrong and can jump.
    databaseMs = row.at.getTime();
    databaseReadAtMs = (before + monotonicMs()) / 2;
    if (row.document) {
      const signed = row.approvals ? await signatures!.read(row.approvals) : undefined;
      snapshot = await readDocument(row.version, row.document, signed);
    }
    readAtMs = before;
    report.onRead(snapshot!.malformedRows);
    return snapshot!;
  };
  const refresh = (): Promise<Snapshot> => reading ??= read().finally(() => reading = undefined);
  // A read that is still running may have begun before the change that the caller needs. So wait for its end,
  // and then read again.
  const refreshAfter = (): Promise<Snapshot> => {
    next ??= (reading ?? Promise.resolve()).catch(() => {}).then(() => {
      next = undefined;
      return refresh();
    });
    return next;
  };

  await refresh();
  const timer = setInterval(() => void refresh().catch(report.onFailure), POLL_MS);
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
    malformedRows: () => snapshot!.malformedRows.length,
    stop: () => clearInterval(timer),
  };
}

/** Logs each malformed row once until it is repaired, and each outage of the registry once. */
function createReport(log: Log) {
  let known: readonly MalformedRow[] = [];
  let names = new Set<string>();
  let failing = false;
  return {
    onRead(rows: readonly MalformedRow[]): void {
      if (failing) log("info", "registry read again");
      failing = false;
      if (rows === known) return;
      const nameOf = ({ clientId, row, code }: MalformedRow) => `${clientId} ${row} ${code}`;
      for (const one of rows) {
        if (names.has(nameOf(one))) continue;
        const { clientId, row, code } = one;
        log("error", "malformed row skipped", {
          ...(clientId === undefined ? {} : { client_id: clientId }),
          row,
          code,
        });
      }
      known = rows;
      names = new Set(rows.map(nameOf));
    },
    onFailure(error: unknown): void {
      if (failing) return;
      failing = true;
      log("error", "registry not read", errorFields(error));
    },
  };
}
