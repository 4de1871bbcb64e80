/**
 * What pgbench's log says of the transactions that ended within a while, as latencies in microseconds. A line that is not
 * whole yet is one of the next while. What was under way when pgbench was held has waited, too, and ended later.
 */
export function latenciesBetween(log: string, startMs: number, endMs: number): number[] {
  return log.split("\n").slice(0, -1).flatMap((line) => {
    // client, transaction, latency, script, and the end in seconds and microseconds
    const [, , latencyMicros, , seconds, micros] = line.split(" ").map(Number);
    const endedMs = seconds! * 1000 + micros! / 1000;
    return endedMs - latencyMicros! / 1000 >= startMs && endedMs <= endMs ? [latencyMicros!] : [];
  });
}
