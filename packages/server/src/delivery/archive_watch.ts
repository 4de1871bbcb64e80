import type { Query } from "../database/query.ts";
import type { Metrics } from "../operations/metrics.ts";

const PAUSE_MS = 5000;

interface Archive {
  readonly archiving: boolean;
  readonly age_seconds: number;
  readonly waiting: string;
}

/**
 * Reads every five seconds how old the newest archived WAL is, and exports it as metrics. Without an archive,
 * a sandbox exports NaN, which fires no alarm. Production exports the age of the last archived file; if there
 * has never been one, the time since the start of Postgres.
 */
export function watchArchive(
  sql: Query,
  environment: "sandbox" | "production",
  metrics: Metrics,
): { stop(): void } {
  let archive: Archive | undefined;
  let isReading = false;
  const look = async () => {
    if (isReading) return;
    isReading = true;
    try {
      [archive] = await sql<Archive[]>`
        select archiving, age_seconds, waiting::text as waiting from gold.read_archive()`;
    } catch {
      // Show NaN, as the backlog does.
      archive = undefined;
    } finally {
      isReading = false;
    }
  };
  const isWatched = () => archive !== undefined && (archive.archiving || environment === "production");
  metrics.gauge("gold_backup_age_seconds", () => isWatched() ? archive!.age_seconds : NaN);
  metrics.gauge("gold_backup_files_waiting", () => isWatched() ? Number(archive!.waiting) : NaN);
  const timer = setInterval(() => void look(), PAUSE_MS);
  void look();
  return { stop: () => clearInterval(timer) };
}
