import { readFile } from "node:fs/promises";
import type { Command, Row } from "../command.ts";
import { usage } from "../failure.ts";
import { optional, spanSeconds } from "../values.ts";

const DEFAULT_AGE = "5m";
const DEFAULT_BACKUP_AGE = "26h";
/** So many complete WAL files may wait for the archive: 256 MB with the default size of a file. */
const WAITING_MAX = 16;

/** The members of pgBackRest's report on one stanza that the check reads. */
interface Stanza {
  readonly name: string;
  readonly status: { readonly code: number; readonly message: string };
  readonly backup: readonly {
    readonly label: string;
    readonly error: boolean | null;
    readonly timestamp: { readonly stop: number };
  }[];
}

const check: Command = {
  words: "backup check",
  usage: "backup check [--max-age 5m] [--info FILE] [--max-backup-age 26h]",
  does:
    "says up to which instant the WAL archive reaches, which is the newest instant that a restore can reach; with --info, the output of `pgbackrest info --output=json`, also checks the newest backup; exits with 4 if one of them is too old",
  options: {
    "max-age": { type: "string" },
    info: { type: "string" },
    "max-backup-age": { type: "string" },
  },
  async run({ values, query, path, now }) {
    const spanOf = (name: string, byDefault: string) =>
      spanSeconds(optional(values, name) ?? byDefault, name);
    const [maxAge, maxBackupAge] = [
      spanOf("max-age", DEFAULT_AGE),
      spanOf("max-backup-age", DEFAULT_BACKUP_AGE),
    ];
    const file = optional(values, "info");
    const report = file === undefined ? undefined : readReport(await readFile(path(file), "utf8"));
    const [archive] = await query`
      select archiving, newest_at, age_seconds, waiting::int as waiting, failing from gold.read_archive()`;
    const { archiving, newest_at, age_seconds, waiting, failing } = archive!;
    const defects: Row[] = [];
    const add = (subject: string, detail: string) => defects.push({ subject, detail });
    if (!archiving) add("archive", "Postgres archives no WAL: archive_mode or archive_command is not set");
    else if (age_seconds > maxAge) {
      add("archive", `the newest archived WAL is ${Math.floor(age_seconds)} s old; the limit is ${maxAge} s`);
    }
    if (failing) add("archive", "the last attempt to archive a WAL file failed: see the log of Postgres");
    if (waiting > WAITING_MAX) add("archive", `${waiting} complete WAL files wait for the archive`);
    const newest = report?.backup.filter(({ error }) => error !== true).at(-1);
    if (report && report.status.code !== 0) add(report.name, report.status.message);
    if (report && !newest) add(report.name, "there is no complete backup");
    const stoppedAt = newest && new Date(newest.timestamp.stop * 1000);
    if (stoppedAt && now().getTime() - stoppedAt.getTime() > maxBackupAge * 1000) {
      add(
        newest.label,
        `the newest backup ended at ${stoppedAt.toISOString()}; the limit is ${maxBackupAge} s`,
      );
    }
    return {
      title: defects.length === 0 ? "The backups are recent." : "The backups need attention.",
      object: {
        restorable_until: archiving ? newest_at.toISOString() : null,
        age_seconds: archiving ? Math.floor(age_seconds) : null,
        files_waiting: waiting,
        ...(report
          ? { backup: newest?.label ?? null, backup_ended_at: stoppedAt?.toISOString() ?? null }
          : {}),
      },
      ...(defects.length === 0 ? {} : { items: defects }),
      defects: defects.length > 0,
      notice: report ? undefined : "Without --info, the command cannot see whether a base backup exists.",
    };
  },
};

export const BACKUP_COMMANDS: readonly Command[] = [check];

function readReport(text: string): Stanza {
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    report = undefined;
  }
  const [stanza] = Array.isArray(report) ? report as Partial<Stanza>[] : [];
  if (stanza?.status && Array.isArray(stanza.backup)) return stanza as Stanza;
  throw usage("--info must name a file with the output of `pgbackrest --stanza=… info --output=json`.");
}
