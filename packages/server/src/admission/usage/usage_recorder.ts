/** That a credential let somebody in, or signed a token or a webhook. */
export interface Use {
  readonly kind: "certificate" | "client_secret" | "signing_key" | "token_key" | "webhook_secret";
  /** Whose it is; token keys are the service's own. */
  readonly partner: number | null;
  /** Its fingerprint, number, thumbprint or kid. */
  readonly id: string;
  /** By the database's time. */
  readonly atMs: number;
}

/** Remembers uses in memory and has them written later, apart from every request. */
export interface UsageRecorder {
  note(use: Use): void;
  /** Writes what is still to be written, then no more. */
  stop(): Promise<void>;
}

/** How far apart the written uses of one credential are at least. */
const APART_MS = 60_000;
const FLUSH_MS = 2000;

/**
 * Only who was admitted is noted, so there is never more to remember than there are credentials. A use is written after
 * `flushMs` at the latest, and a stop waits as long for the last writing.
 */
export function startUsageRecorder(
  record: (uses: readonly Use[]) => Promise<void>,
  flushMs: number = FLUSH_MS,
): UsageRecorder {
  const due = new Map<string, Use>();
  const writtenAtMs = new Map<string, number>();

  const flush = async () => {
    if (due.size === 0) return;
    const uses = [...due];
    due.clear();
    forgetBefore(Math.max(...uses.map(([, { atMs }]) => atMs)) - APART_MS);
    for (const [name, { atMs }] of uses) writtenAtMs.set(name, atMs);
    try {
      await record(uses.map(([, use]) => use));
    } catch {
      // A credential that is still in use is noted again.
      for (const [name] of uses) writtenAtMs.delete(name);
    }
  };
  const forgetBefore = (ms: number) => {
    for (const [name, atMs] of writtenAtMs) if (atMs <= ms) writtenAtMs.delete(name);
  };

  let underWay = false;
  const timer = setInterval(() => {
    if (underWay) return;
    underWay = true;
    void flush().finally(() => underWay = false);
  }, flushMs);
  return {
    note(use) {
      const name = `${use.kind} ${use.partner} ${use.id}`;
      const before = writtenAtMs.get(name);
      if (before === undefined || use.atMs - before >= APART_MS) due.set(name, use);
    },
    async stop() {
      clearInterval(timer);
      let tooLate: ReturnType<typeof setTimeout> | undefined;
      await Promise.race([flush(), new Promise((resolve) => tooLate = setTimeout(resolve, flushMs))]);
      clearTimeout(tooLate);
    },
  };
}
