/** One use of a credential: it admitted a request, or it signed a token or a webhook. */
export interface Use {
  readonly kind: "certificate" | "client_secret" | "signing_key" | "token_key" | "webhook_secret";
  /** The partner that owns the credential; null for a token key, which is the service's own. */
  readonly partner: number | null;
  /** The credential's fingerprint, number, thumbprint or kid. */
  readonly id: string;
  /** By the database's time. */
  readonly atMs: number;
}

/** Collects uses in memory. They are written in the background, so that no request waits for the write. */
export interface UsageRecorder {
  note(use: Use): void;
  /** Writes the remaining uses, then stops writing. */
  stop(): Promise<void>;
}

/** Minimum time between two written uses of one credential. */
const APART_MS = 60_000;
const FLUSH_MS = 2000;

/**
 * Notes when credentials are used, and writes the notes every `flushMs` unless the previous write is still
 * running. The number of credentials bounds the memory, because only uses of registered credentials are
 * noted. A stop waits at most `flushMs` for the last write.
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
    let newestMs = 0;
    for (const [, { atMs }] of uses) newestMs = Math.max(newestMs, atMs);
    forgetBefore(newestMs - APART_MS);
    for (const [name, { atMs }] of uses) writtenAtMs.set(name, atMs);
    try {
      await record(uses.map(([, use]) => use));
    } catch {
      // Drop failed uses. This is safe, because a credential that is still in use is noted again.
      for (const [name] of uses) writtenAtMs.delete(name);
    }
  };
  const forgetBefore = (ms: number) => {
    for (const [name, atMs] of writtenAtMs) if (atMs <= ms) writtenAtMs.delete(name);
  };

  let flushing: Promise<void> | undefined;
  const timer = setInterval(() => void (flushing ??= flush().finally(() => flushing = undefined)), flushMs);
  return {
    note(use) {
      const name = `${use.kind} ${use.partner} ${use.id}`;
      const before = writtenAtMs.get(name);
      if (before === undefined || use.atMs - before >= APART_MS) due.set(name, use);
    },
    async stop() {
      clearInterval(timer);
      let tooLate: ReturnType<typeof setTimeout> | undefined;
      const flushed = Promise.all([flushing, flush()]);
      await Promise.race([flushed, new Promise((resolve) => tooLate = setTimeout(resolve, flushMs))]);
      clearTimeout(tooLate);
    },
  };
}
