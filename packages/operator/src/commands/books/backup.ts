import { readFile } from "node:fs/promises";
import type { Row as SqlRow } from "postgres";
import type { Command, Row } from "../../command.ts";
import { usage } from "../../failure.ts";
import { writeMetrics } from "../../metrics_file.ts";
import { optional, spanSeconds } from "../../values.ts";

const DEFAULT_AGE = "5m";
const DEFAULT_BACKUP_AGE = "26h";
/** The largest accepted number of complete WAL files that wait for the archive: 256 MB of 16 MB files. */
const WAITING_MAX = 16;

/** The part of pgBackRest's report for one stanza that the check reads. */
interface Stanza {
  readonly name: string;
  readonly status: { readonly code: number; readonly message: string };
  readonly backup: readonly Backup[];
}

interface Backup {
  readonly label: string;
  readonly error: boolean | null;
  /** When the backup ended, in Unix seconds. */
  readonly timestamp: { readonly stop: number };
}

const check: Command = {
  words: "backup check",
  usage: "backup check [--max-age 5m] [--info FILE [--max-backup-age 26h] [--metrics FILE]]",
  does:
    "shows the end of the WAL archive, which is the newest instant that a restore can reach; with --info, a file with the output of `pgbackrest info --output=json`, also checks the newest backup, and writes the time at which it ended to the file of --metrics, for the node exporter of Prometheus; exits with 4 if the archive or the backup is too old",
  options: {
    "max-age": { type: "string" },
    info: { type: "string" },
    "max-backup-age": { type: "string" },
    metrics: { type: "string" },
  },
  async run({ values, query, path, now }) {
    const maxAgeSeconds = spanSeconds(optional(values, "max-age") ?? DEFAULT_AGE, "max-age");
    const maxBackupAgeSeconds = spanSeconds(
      optional(values, "max-backup-age") ?? DEFAULT_BACKUP_AGE,
      "max-backup-age",
    );
    const file = optional(values, "info");
    const report = file === undefined ? undefined : readReport(await readFile(path(file), "utf8"));
    const newest = report?.backup.filter(({ error }) => error !== true).at(-1);
    const metrics = optional(values, "metrics");
    if (metrics !== undefined) {
      if (!report) {
        throw usage("--metrics needs --info with pgBackRest's report, which has the newest backup.");
      }
      await writeMetrics(path(metrics), [{
        name: "gold_base_backup_ended_seconds",
        help: "When the newest base backup ended, in Unix seconds; 0 if there is none.",
        value: newest?.timestamp.stop ?? 0,
      }]);
    }
    const [archive] = await query`
      select archiving, newest_at, age_seconds, waiting::int as waiting, failing from gold.read_archive()`;
    const { archiving, newest_at, age_seconds, waiting } = archive!;
    const defects = [
      ...archiveDefects(archive!, maxAgeSeconds),
      ...(report ? backupDefects(report, newest, maxBackupAgeSeconds, now()) : []),
    ];
    return {
      title: defects.length === 0 ? "The backups are recent." : "The backups need attention.",
      object: {
        restorable_until: archiving ? newest_at.toISOString() : null,
        age_seconds: archiving ? Math.floor(age_seconds) : null,
        files_waiting: waiting,
        ...(report
          ? { backup: newest?.label ?? null, backup_ended_at: newest ? endOf(newest).toISOString() : null }
          : {}),
      },
      ...(defects.length === 0 ? {} : { items: defects }),
      defects: defects.length > 0,
      notice: report ? undefined : "Without --info, the command cannot see whether a base backup exists.",
    };
  },
};

export const BACKUP_COMMANDS: readonly Command[] = [check];

const endOf = ({ timestamp }: Backup): Date => new Date(timestamp.stop * 1000);

/** `archive` is a row of gold.read_archive(). */
function archiveDefects({ archiving, age_seconds, waiting, failing }: SqlRow, maxAgeSeconds: number): Row[] {
  const details: string[] = [];
  if (!archiving) details.push("Postgres archives no WAL: archive_mode or archive_command is not set");
  else if (age_seconds > maxAgeSeconds) {
    details.push(
      `the newest archived WAL is ${Math.floor(age_seconds)} s old; the limit is ${maxAgeSeconds} s`,
    );
  }
  if (failing) details.push("the last attempt to archive a WAL file failed: see the log of Postgres");
  if (waiting > WAITING_MAX) details.push(`${waiting} complete WAL files wait for the archive`);
  return details.map((detail) => ({ subject: "archive", detail }));
}

function backupDefects(
  { name, status }: Stanza,
  newest: Backup | undefined,
  maxAgeSeconds: number,
  now: Date,
): Row[] {
  const defects: Row[] = [];
  if (status.code !== 0) defects.push({ subject: name, detail: status.message });
  if (!newest) defects.push({ subject: name, detail: "there is no complete backup" });
  else if (now.getTime() - endOf(newest).getTime() > maxAgeSeconds * 1000) {
    const detail = `the newest backup ended at ${
      endOf(newest).toISOString()
    }; the limit is ${maxAgeSeconds} s`;
    defects.push({ subject: newest.label, detail });
  }
  return defects;
}

function readReport(text: string): Stanza {
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    report = undefined;
  }
  if (Array.isArray(report) && report.length === 1 && isStanza(report[0])) return report[0];
  throw usage(
    "--info must name a file with the output of `pgbackrest --stanza=… info --output=json` for exactly one stanza; the file has other content.",
  );
}

function isStanza(value: unknown): value is Stanza {
  const { name, status, backup } = (value ?? {}) as Partial<Stanza>;
  return typeof name === "string" && typeof status?.code === "number" && Array.isArray(backup) &&
    backup.every((each: Stanza["backup"][number] | null) =>
      typeof each?.label === "string" && Number.isSafeInteger(each.timestamp?.stop)
    );
}
