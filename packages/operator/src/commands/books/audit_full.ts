import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  ALLOWABLE,
  auditBooks,
  type AuditReport,
  AuditState,
  type Connection,
  type KeptHead,
  type KeptKeys,
  readAllowed,
  readKeptHeads,
  readKeptKeys,
  RULES,
  withSnapshot,
} from "@gold-partner/audit";
import type { Command, Invocation, Row } from "../../command.ts";
import { checkUrl } from "../../database.ts";
import { usage } from "../../failure.ts";
import { writeMetrics } from "../../metrics_file.ts";
import { withNewFile } from "../../new_file.ts";
import { OPERATOR_KEYS_OPTION, readOperatorKeys } from "../../operator_keys_file.ts";
import { optional, required } from "../../values.ts";

const full: Command = {
  words: "audit full",
  usage:
    "audit full [--heads FILE] [--keys FILE] [--operator-keys FILE] [--allowed FILE] [--superuser-url URL] [--signatures all|none|N%] [--resume FILE] [--metrics FILE]",
  does:
    "recomputes the books, the registry and the catalog from raw rows, and calls no routine of the database; verifies the stored signatures, with --signatures N% only a random part of them; with --heads and --keys, also compares them with files that are stored outside; with --operator-keys, verifies the two signatures of every approval, from the operators' first keys in this file or that of OPERATOR_KEYS; --allowed names a file of findings about the server that the operator allows, each with a reason; with --superuser-url, also reads what only a superuser may read; with --metrics, writes the end of the audit and the number of defects for the node exporter of Prometheus; exits with 4 if it finds a defect",
  options: {
    allowed: { type: "string" },
    "superuser-url": { type: "string" },
    heads: { type: "string" },
    keys: { type: "string" },
    ...OPERATOR_KEYS_OPTION,
    resume: { type: "string" },
    signatures: { type: "string" },
    metrics: { type: "string" },
  },
  async run(invocation) {
    const { values, path, progress, now } = invocation;
    const heads = await readOutside(invocation, "heads", readKeptHeads, "gold ledger heads --out FILE");
    const keys = await readOutside(invocation, "keys", readKeptKeys, "gold audit keys --out FILE");
    const allowed = await readAllowedFile(invocation);
    const operatorKeys = await readOperatorKeys(invocation);
    const signatures = readShare(optional(values, "signatures") ?? "all");
    const file = optional(values, "resume");
    const basis = createHash("sha256").update(JSON.stringify([heads, keys, signatures, RULES])).digest("hex");
    const given = optional(values, "superuser-url");
    const superuserUrl = given === undefined ? undefined : checkUrl(invocation.env, "--superuser-url", given);
    const state = file === undefined ? undefined : await AuditState.open(path(file), basis);
    const url = await invocation.migrationUrl();
    const audit = (superuser?: Connection) =>
      withSnapshot(
        url,
        async (sql) => {
          if (superuser) await requireSameDatabase(sql, superuser);
          return await auditBooks(sql, {
            url,
            progress,
            signatures,
            allowed,
            ...(superuser ? { superuser } : {}),
            ...(heads ? { heads } : {}),
            ...(keys ? { keys } : {}),
            ...(operatorKeys ? { operatorKeys } : {}),
            ...(state ? { state } : {}),
          });
        },
      );
    const report = superuserUrl === undefined ? await audit() : await withSnapshot(superuserUrl, audit);
    const metrics = optional(values, "metrics");
    if (metrics !== undefined) {
      await writeMetrics(path(metrics), [
        {
          name: "gold_audit_ended_seconds",
          help: "When the newest audit ended, in Unix seconds.",
          value: Math.floor(now().getTime() / 1000),
        },
        { name: "gold_audit_defects", help: "The defects that the newest audit found.", value: report.total },
      ]);
    }
    return describe(report, heads, keys);
  },
};

/** A standby has the system identifier of its primary. */
async function requireSameDatabase(sql: Connection, superuser: Connection): Promise<void> {
  const [own, other] = await Promise.all([sql, superuser].map(async (connection) => {
    const [row] = await connection.unsafe<[{ name: string; system: string }]>(
      "select current_database() as name, system_identifier::text as system from pg_control_system()",
    );
    return row;
  })) as [{ name: string; system: string }, { name: string; system: string }];
  if (own.name === other.name && own.system === other.system) return;
  throw usage(
    `--superuser-url must lead to the database of the database URL, ${own.name}, on the same server; it leads to the database ${other.name}${
      own.system === other.system ? "" : " on another server"
    }.`,
  );
}

/** Returns a share from 0 to 1. */
function readShare(text: string): number {
  if (text === "all") return 1;
  if (text === "none") return 0;
  const [, percent] = /^(\d{1,2}(?:\.\d+)?|100)%$/.exec(text) ?? [];
  if (percent !== undefined) return Number(percent) / 100;
  throw usage(`--signatures must be all, none or a percentage such as 5%; got ${text}.`);
}

const APPROVALS_UNVERIFIED =
  "It did not verify the signatures of approvals. Give --operator-keys FILE, or set OPERATOR_KEYS to the path of the file with the operators' first keys.";

function describe(
  report: AuditReport,
  heads: readonly KeptHead[] | undefined,
  keys: KeptKeys | undefined,
) {
  const { total, findings, counts, clients, records, unsealed, unsigned, verified, approvals, resumed } =
    report;
  const { warnings, skipped, allowed } = report;
  const found = total === 0 ? "The audit found no defect." : `The audit found ${total} defect(s).`;
  return {
    title: report.demandsSignatures && approvals === null ? `${found} ${APPROVALS_UNVERIFIED}` : found,
    object: {
      clean: total === 0,
      defects: total,
      warnings: warnings.length,
      not_looked_at: skipped.length,
      allowed,
      clients,
      records,
      unsealed_events: Number(unsealed),
      unsigned_records: unsigned,
      verified_signatures: verified,
      verified_approvals: approvals,
      resumed_clients: resumed,
      heads: heads?.length ?? null,
      keys: keys?.items.length ?? null,
    },
    ...(total === 0 ? {} : { items: findings.map((finding): Row => ({ ...finding })) }),
    lists: {
      ...(total === 0 ? {} : { rules: Array.from(counts, ([rule, defects]): Row => ({ rule, defects })) }),
      ...(warnings.length === 0 ? {} : { warned: warnings.map((warning): Row => ({ ...warning })) }),
      ...(skipped.length === 0 ? {} : { skipped: skipped.map((one): Row => ({ ...one })) }),
    },
    defects: total > 0,
  };
}

async function readAllowedFile({ values, path }: Invocation) {
  const file = optional(values, "allowed");
  if (file === undefined) return [];
  const allowed = readAllowed(await readFile(path(file), "utf8"));
  if (allowed !== undefined) return allowed;
  throw usage(
    `--allowed must name a file {"allowed": [{"rule", "row", "reason"}, …]}, in which each rule is one of ${
      ALLOWABLE.join(", ")
    }, and "found" is optional; ${file} has another format.`,
  );
}

async function readOutside<File>(
  { values, path }: Invocation,
  option: string,
  read: (text: string) => File | undefined,
  writer: string,
): Promise<File | undefined> {
  const file = optional(values, option);
  if (file === undefined) return undefined;
  const content = read(await readFile(path(file), "utf8"));
  if (content !== undefined) return content;
  throw usage(`--${option} must name a file that \`${writer}\` wrote; this file has another format.`);
}

const keys: Command = {
  words: "audit keys",
  usage: "audit keys --out FILE",
  does:
    "writes the id of the deployment, the operators with their roles and keys, the active credentials, the powers of all database roles and the head of the audit trail to a new file; store it where nobody with write access to the database can change it",
  options: { out: { type: "string" } },
  async run({ values, path, migrationUrl }) {
    const file = path(required(values, "out"));
    const { keys } = await withSnapshot(
      await migrationUrl(),
      (sql) => auditBooks(sql, { registryOnly: true }),
    );
    await withNewFile(file, `${JSON.stringify(keys, null, 2)}\n`, () => Promise.resolve());
    return {
      title: "Store the file where no database login can reach it.",
      object: { file, audit_id: keys.audit.id, credentials: keys.items.length, roles: keys.roles.length },
    };
  },
};

export const FULL_AUDIT_COMMANDS: readonly Command[] = [full, keys];
