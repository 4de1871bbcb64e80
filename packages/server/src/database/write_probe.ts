import { setTimeout as sleep } from "node:timers/promises";
import { type HeadKeeper, HEADS_UNREADABLE } from "./keep_heads.ts";
import type { Query } from "./query.ts";
import type { Log } from "../operations/log.ts";
import { Refusal } from "../http/refusal.ts";
import { UNREPLICATED, unreplicatedError } from "@gold-partner/database";

/** Why no write can be committed. */
type WriteFault =
  | "database_unavailable"
  | "read_only"
  | "disk_full"
  | "not_durable"
  | "no_standby"
  | "records_missing"
  | "heads_unreadable";

/** Whether this service can write now. /health, every write and the metrics use this. */
export interface WriteProbe {
  /** Undefined while writes can be committed. */
  fault(): WriteFault | undefined;
  /** Refuses with `service_unavailable` while no write can be committed. */
  requirePossible(): void;
  /**
   * With HA=on, resolves when the standby has everything that was visible before the call. To find out,
   * commits a new probe and waits until the standby has that commit. Throws if the standby takes too long.
   * Without HA=on, resolves at once.
   */
  confirm(): Promise<void>;
  /**
   * Reports a failed write. If its error means that other writes will fail too, the service refuses writes
   * until a later probe succeeds.
   */
  onWriteFailed(error: unknown): void;
  /** Registers a listener that is called when the service begins to refuse writes. */
  onRefusing(listener: (refusal: Refusal) => void): void;
  stop(): void;
}

interface WriteProbeParts {
  /** A connection that nothing else uses, because the probe's commit may wait for the standby. */
  readonly sql: Query;
  /** HA=on: an acknowledged write must be on a synchronous standby. */
  readonly standby: boolean;
  /** Compares the database with the heads that are kept outside; absent with HEADS_FILE=off. */
  readonly heads?: Pick<HeadKeeper, "compareAndWrite"> | undefined;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

const POLL_MS = 1000;
const RETRY_PAUSE_MS = 100;
/**
 * The time limit of a probe. A slower probe is waiting for the standby, or for a database that does not
 * answer.
 */
const TIMEOUT_MS = 3000;
/** The end of the time limit. It begins only while this process runs, also after a long pause. */
const LAST_PART_MS = 1000;
/**
 * How long a success counts with HA=on. After that, the standby may have disconnected while this process was
 * paused.
 */
const MAX_AGE_MS = 5000;

/** SQLSTATE that probe_write raises if the database's settings can lose acknowledged writes. */
export const NOT_DURABLE = "GB005";
/** The error codes of a lost connection: closed, reset, or terminated by the server. */
const LOST: readonly unknown[] = ["CONNECTION_CLOSED", "ECONNRESET", "EPIPE", "57P01"];

const SENTENCES: Readonly<Record<WriteFault, string>> = {
  database_unavailable: "The database does not answer.",
  read_only: "The database accepts no writes: it is read-only or a replica.",
  disk_full: "The database has no disk space left.",
  not_durable: "The database's settings allow it to lose acknowledged writes.",
  records_missing:
    "The database lacks records that it had before, so nothing is executed until operators decide.",
  heads_unreadable:
    "The service cannot read its file of heads, so nothing is executed until it can compare the database with it.",
  no_standby: "No synchronous standby confirms commits, so nothing is executed until one does.",
};

/**
 * Commits a tiny write every second, in the same way as an order, and remembers whether it succeeded.
 * Resolves after the first probe, or after TIMEOUT_MS.
 */
export async function openWriteProbe(
  { sql, standby, heads, monotonicMs, log }: WriteProbeParts,
): Promise<WriteProbe> {
  const timeoutFault: WriteFault = standby ? "no_standby" : "database_unavailable";
  let known: WriteFault | undefined = "database_unavailable";
  let committedMs = -Infinity;
  let isFirst = true;
  let failedWrites = 0;
  let running: Promise<void> | undefined;

  const listeners: ((refusal: Refusal) => void)[] = [];

  const set = (found: WriteFault | undefined) => {
    if (found === known) return;
    known = found;
    if (found === undefined) return isFirst ? undefined : log("info", "writes are possible again");
    log("error", "writes are refused", { code: found });
    for (const listener of listeners) listener(refusalFor(found));
  };
  const probe = async () => {
    const [beganMs, failedBefore] = [monotonicMs(), failedWrites];
    // Use two timers. With one, a pause of this process could use up the whole limit, and leave the probe no time to
    // read an answer.
    let alarm = setTimeout(
      () => alarm = setTimeout(set, LAST_PART_MS, timeoutFault),
      TIMEOUT_MS - LAST_PART_MS,
    );
    const found = await ask().catch((error) => faultOf(error) ?? "database_unavailable");
    clearTimeout(alarm);
    // Ignore a probe that began before the failed write, because only a later one can show that writes are
    // possible again.
    if (found === undefined && failedWrites !== failedBefore) return;
    if (found === undefined) committedMs = beganMs;
    set(found);
    isFirst = false;
  };
  const ask = async (): Promise<WriteFault | undefined> => {
    for (;;) {
      try {
        const [row] = await sql<{ fault: WriteFault | null }[]>`select gold.probe_write(${standby}) as fault`;
        if (row!.fault !== null) return row!.fault;
        return heads && !await heads.compareAndWrite() ? "records_missing" : undefined;
      } catch (error) {
        // Retry after a lost connection, because the next connection may work. The alarm above reports the
        // fault after TIMEOUT_MS; the retries continue until a probe succeeds or fails with another error.
        if (!LOST.includes(codeOf(error))) throw error;
        await sleep(RETRY_PAUSE_MS);
      }
    }
  };
  const refresh = () => running ??= probe().finally(() => running = undefined);
  const fault = () =>
    known === undefined && standby && monotonicMs() - committedMs > MAX_AGE_MS ? timeoutFault : known;

  const timeLimit = () => sleep(TIMEOUT_MS, undefined, { ref: false });
  await Promise.race([refresh(), timeLimit()]);
  const timer = setInterval(() => void refresh(), POLL_MS);
  return {
    fault,
    requirePossible() {
      const found = fault();
      if (found !== undefined) throw refusalFor(found);
    },
    async confirm() {
      if (!standby) return;
      const calledMs = monotonicMs();
      await Promise.race([(running ?? Promise.resolve()).then(refresh), timeLimit()]);
      if (fault() !== undefined || committedMs < calledMs) throw unreplicatedError();
    },
    onWriteFailed(error) {
      const found = faultOf(error);
      if (found === undefined) return;
      failedWrites++;
      set(found);
    },
    onRefusing: (listener) => void listeners.push(listener),
    stop: () => clearInterval(timer),
  };
}

const refusalFor = (fault: WriteFault) => new Refusal("service_unavailable", SENTENCES[fault]);

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/**
 * Returns the fault if this error of one write means that all writes fail now. Otherwise returns undefined.
 */
function faultOf(error: unknown): WriteFault | undefined {
  switch (codeOf(error)) {
    case "25006":
      return "read_only";
    case "53100":
      return "disk_full";
    case NOT_DURABLE:
      return "not_durable";
    case UNREPLICATED:
      return "no_standby";
    case HEADS_UNREADABLE:
      return "heads_unreadable";
  }
  return undefined;
}
