/**
 * Returns the latencies, in microseconds, of the transactions in pgbench's log that began and ended in a
 * period. An incomplete last line is ignored, because pgbench has not finished writing it. Transactions that
 * were in flight when pgbench was paused are left out, because their latency includes the pause.
 */
export function latenciesBetween(log: string, startMs: number, endMs: number): number[] {
  return log.split("\n").slice(0, -1).flatMap((line) => {
    // The fields: client, transaction, latency, script, and the end in seconds and microseconds.
    const [, , latencyMicros, , seconds, micros] = line.split(" ").map(Number);
    const endedMs = seconds! * 1000 + micros! / 1000;
    return endedMs - latencyMicros! / 1000 >= startMs && endedMs <= endMs ? [latencyMicros!] : [];
  });
}
