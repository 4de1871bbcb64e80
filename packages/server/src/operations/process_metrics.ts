import { PerformanceObserver } from "node:perf_hooks";
import process from "node:process";
import { buildVersion } from "@gold-partner/command-line";
import manifest from "../../package.json" with { type: "json" };
import type { Metrics } from "./metrics.ts";

const LAG_MS = 100;
const SECOND_MS = 1000;
const MICROS = 1_000_000;

/** Shows the process itself: its version, CPU, memory, event loop and garbage collection. */
export function watchProcess(metrics: Metrics): { stop(): void } {
  const runtime = "Deno" in globalThis ? "deno" : "node";
  metrics.gauge("gold_build_info", () => 1, { version: buildVersion(manifest.version), runtime });
  const startedSeconds = Date.now() / SECOND_MS - process.uptime();
  metrics.gauge("process_start_time_seconds", () => startedSeconds);
  metrics.gauge("process_resident_memory_bytes", () => process.memoryUsage().rss);
  metrics.gauge("process_heap_bytes", () => process.memoryUsage().heapUsed);
  metrics.counter("process_cpu_seconds_total", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / MICROS;
  });

  let dueMs = performance.now() + LAG_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    metrics.observeSeconds("gold_event_loop_lag_seconds", Math.max(0, nowMs - dueMs) / SECOND_MS);
    dueMs = nowMs + LAG_MS;
  }, LAG_MS).unref();
  const collections = watchCollections(metrics);
  return {
    stop() {
      clearInterval(timer);
      collections?.disconnect();
    },
  };
}

/** Deno reports no garbage collections. */
function watchCollections(metrics: Metrics): PerformanceObserver | undefined {
  if ("Deno" in globalThis) return undefined;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      metrics.observeSeconds("gold_garbage_collection_seconds", duration / SECOND_MS);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return observer;
}
