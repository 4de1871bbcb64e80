import type { OperatorKeys } from "@gold-partner/approvals";
import type { Books, Client, Totals } from "./books/context.ts";
import { clientKey } from "./books/context.ts";
import { checkBarLists } from "./books/bar_lists.ts";
import { checkAnswers, checkPartnerChanges } from "./books/partner_changes.ts";
import { readEpochs } from "./books/epochs.ts";
import { PriceTerms } from "./books/price_terms.ts";
import { readPrices } from "./books/prices.ts";
import { requestTerms } from "./books/requests.ts";
import { checkEndpoints } from "./books/endpoints.ts";
import { positionOf, whereRange } from "./books/range.ts";
import { checkExposure } from "./books/exposure.ts";
import { checkVault } from "./books/vault.ts";
import { compareBuiltin } from "./catalog/builtin.ts";
import { compareLayout } from "./catalog/layout.ts";
import { compareCatalog } from "./catalog/fingerprint.ts";
import { compareSettings } from "./catalog/settings.ts";
import { compareRoles, isOwnersLogin, type KeptRole, readRoles } from "./catalog/roles.ts";
import { type Allowed, type Finding, Findings } from "./findings.ts";
import type { KeptHead, KeptKeys } from "./outside_files.ts";
import { checkApprovals, checkDeployment } from "./registry/approvals.ts";
import { readAudit } from "./registry/audit_chain.ts";
import { checkLogins } from "./registry/logins.ts";
import { compareRegistry } from "./registry/compare.ts";
import { checkDocuments } from "./registry/documents.ts";
import { activeKeys, checkThumbprints, compareKeys } from "./registry/keys.ts";
import { checkProposals } from "./registry/proposals.ts";
import { checkProblems } from "./registry/problems.ts";
import { replay } from "./registry/replay.ts";
import type { Rule } from "./rules.ts";
import { checkRanges } from "./ranges.ts";
import type { Connection, Row } from "./snapshot.ts";
import type { AuditState } from "./state.ts";
import { selectFrom, type Table } from "./tables.ts";
import { sha256Hex } from "./values.ts";

export interface AuditOptions {
  readonly heads?: readonly KeptHead[];
  readonly keys?: KeptKeys;
  /** The findings that the operator allows. */
  readonly allowed?: readonly Allowed[];
  /** A superuser's connection, with which the catalog is read. Without it, what needs one is skipped. */
  readonly superuser?: Connection;
  /**
   * The deployment and the first keys of operators. Without them, no signature of an approval is verified,
   * and `approvals` is null.
   */
  readonly operatorKeys?: OperatorKeys;
  /** The share of stored signatures that are verified, from 0 to 1. Default: 1. */
  readonly signatures?: number;
  /** Skips the catalog and the roles: for tests that change only rows. */
  readonly rowsOnly?: boolean;
  /** Reads only what `gold audit keys` needs. */
  readonly registryOnly?: boolean;
  readonly progress?: (text: string) => void;
  /**
   * The database URL with which a second process reads a part of the clients. Without it, one process reads
   * all.
   */
  readonly url?: string;
  /** Clients with together about this many events are read in one range: for tests of small books. */
  readonly eventsPerRange?: bigint;
  /** The results of an earlier audit that was interrupted. */
  readonly state?: AuditState;
}

export interface AuditReport {
  readonly findings: readonly Finding[];
  readonly counts: ReadonlyMap<Rule, number>;
  readonly total: number;
  readonly warnings: Findings["warnings"];
  readonly skipped: Findings["skipped"];
  /** The number of findings that the operator allowed. */
  readonly allowed: number;
  readonly clients: number;
  readonly records: number;
  /** Events that are not sealed yet. The chain does not protect them. */
  readonly unsealed: bigint;
  /** Orders and withdrawals without a signed request that a process of 0.3.0 booked after the migration. */
  readonly unsigned: number;
  /** Signatures that were verified. */
  readonly verified: number;
  /** Approvals with two valid signatures. Null if the operators' first keys were not given. */
  readonly approvals: number | null;
  /** Whether two people must sign approvals here: in production, and wherever operators have keys. */
  readonly demandsSignatures: boolean;
  /** Clients whose result comes from the interrupted audit. */
  readonly resumed: number;
  /** What `gold audit keys` writes. */
  readonly keys: KeptKeys;
}

/** Recomputes everything from the rows of one snapshot. The connection must have SESSION_SETTINGS. */
export async function auditBooks(sql: Connection, options: AuditOptions = {}): Promise<AuditReport> {
  const findings = new Findings(options.allowed);
  const progress = options.progress ?? (() => {});
  const catalog = options.superuser ?? sql;
  const known = options.rowsOnly ? undefined : await compareLayout(catalog, findings);
  if (findings.total > 0) return stoppedReport(findings, options);
  const read = (table: Table, rest = ""): Promise<readonly Row[]> => sql.unsafe(selectFrom(table, rest));
  const [clock] = await sql.unsafe("select clock_timestamp() as now");
  const now: number = clock!.now;
  const partners = await read("partner", "order by id");
  const publicIds = new Map(partners.map(({ id, public_id }) => [id as number, public_id as string]));
  const [deployment] = await read("deployment");
  const trusted = options.operatorKeys;
  // A superuser can edit the environment in the database, but not the id in the file.
  const isSandbox = trusted
    ? trusted.deployment.id.startsWith("sandbox-")
    : deployment?.environment === "sandbox";
  const environment = isSandbox ? "sandbox" : "production";

  progress("the audit trail and the registry");
  const notes = await readAudit(sql, findings, options.keys?.audit);
  const expected = replay(notes.all, findings);
  const [owner] = await sql.unsafe(
    `select r.rolname from pg_roles r join pg_database d on d.datdba = r.oid
    where d.datname = current_database()`,
  );
  const isOwner = owner !== undefined && isOwnersLogin(owner.rolname, expected.of("operator"));
  checkLogins(findings, notes.all, isOwner ? owner.rolname : undefined, isSandbox);
  const registry = await compareRegistry(sql, findings, expected, publicIds);
  checkThumbprints(findings, registry);
  const proposals = await read("proposal", "order by id");
  checkProposals(findings, notes.all, proposals, isSandbox);
  const operatorKeys = registry.operator_key ?? [];
  let approvals: number | null = null;
  if (trusted) {
    approvals = await checkApprovals(findings, notes.all, proposals, operatorKeys, trusted, environment);
    await checkDeployment(sql, findings, deployment, trusted);
  }
  checkProblems(findings, await read("problem", "order by code"));
  for (const table of ["registry_version", "published_reserves"] as const) {
    const rows = await read(table);
    const isOne = rows.every(({ one }) => one) && (rows.length === 1 || table === "published_reserves");
    if (!isOne) findings.add("registry_is_noted", table, "one row", `${rows.length} rows`);
  }
  await checkDocuments(sql, findings, notes, registry.payment_batch ?? [], publicIds, isSandbox);
  await checkPartnerChanges(sql, findings, registry);
  checkAnswers(findings, notes.all, registry.change_request ?? [], proposals, publicIds);
  const lists = checkBarLists(
    findings,
    await read("bar_list", "order by id"),
    registry.bar ?? [],
    options.keys?.lists,
  );
  const terms = new PriceTerms(findings, notes.all, proposals);
  const prices = await readPrices(sql, findings, registry.price ?? [], options.keys?.prices, terms);
  const epochs = readEpochs(findings, await read("epoch", "order by id"));
  const requests = await requestTerms(notes, registry, options.signatures ?? 1);
  const active = activeKeys(registry, publicIds, expected.of("operator"), now);
  if (options.keys) compareKeys(findings, options.keys.items, active);
  let roles: readonly KeptRole[] = [];
  if (!options.rowsOnly) {
    progress("the catalog");
    await compareBuiltin(catalog, findings, known);
    await compareCatalog(catalog, findings, environment);
    await compareSettings(catalog, findings);
    roles = await readRoles(catalog, findings);
    compareRoles(findings, roles, expected, options.keys?.roles ?? []);
    findings.warnUnused();
  }

  const clients = await readClients(sql, partners, registry.receiver ?? []);
  checkAccounts(findings, clients, publicIds);
  const totals: Totals = { clientGold: 0n, sold: 0n, records: 0, unsigned: 0, verified: 0 };
  const books: Books = {
    sql,
    findings,
    clients,
    heads: headsByClient(findings, options.heads ?? [], publicIds),
    notes,
    batches: new Map((registry.payment_batch ?? []).map(({ id, created_at }) => [id, created_at])),
    isSandbox,
    migratedAt: migratedAt(notes.all[0]?.at, lists[0]?.createdAt),
    prices,
    lists,
    epochs,
    requests,
    now,
    attemptsKeptSince: await attemptsKeptSince(sql),
    totals,
  };
  const [last] = await read("audit_tail");
  const resumed = options.registryOnly ? 0 : await checkRanges(books, {
    ...options,
    registry,
    progress,
    auditHead: `audit ${last?.head}, ${epochs.rows.map((row) => Object.values(row).join(" "))}, ${
      sha256Hex(...partners.map(({ public_id, chain_key }) => `${public_id} ${chain_key}\n`))
    }`,
  });
  if (!options.registryOnly) {
    await checkEndpoints(books);
    await checkVault(sql, findings, registry.bar ?? [], lists, totals);
    await checkExposure(sql, findings, expected, now);
  }
  let unsealed = 0n;
  for (const { account, tail } of clients.values()) {
    if (account && account.client_id !== 0) {
      unsealed += BigInt(account.event_sequence) - BigInt(tail?.sequence ?? 0);
    }
  }
  return {
    ...summaryOf(findings),
    clients: clients.size,
    records: totals.records,
    unsealed,
    unsigned: totals.unsigned,
    verified: totals.verified,
    approvals,
    demandsSignatures: environment === "production" || operatorKeys.length > 0,
    resumed,
    keys: {
      audit: { id: `${last?.id ?? 0}`, head: last?.head ?? "" },
      prices: prices.newest,
      lists: { id: `${lists.length}`, head: lists.at(-1)?.head ?? "00".repeat(32) },
      items: active,
      roles,
    },
  };
}

/**
 * Returns the report of an audit that ended early. The columns of pg_catalog differ from Postgres's own, so
 * the result of any further statement could be false.
 */
function stoppedReport(findings: Findings, { registryOnly }: AuditOptions): AuditReport {
  if (registryOnly) {
    const [{ row, expected, found }] = findings.kept as [Finding];
    throw new RangeError(
      `No file was written: ${row} must be ${expected}; found ${found}. See gold audit full.`,
    );
  }
  const none = { id: "0", head: "" };
  findings.skip("everything else", "the columns of pg_catalog are not known to be those of Postgres");
  return {
    ...summaryOf(findings),
    clients: 0,
    records: 0,
    unsealed: 0n,
    unsigned: 0,
    verified: 0,
    approvals: null,
    demandsSignatures: false,
    resumed: 0,
    keys: { audit: none, prices: none, lists: none, items: [], roles: [] },
  };
}

const summaryOf = ({ kept, counts, total, warnings, skipped, allowed }: Findings) => ({
  findings: kept,
  counts,
  total,
  warnings,
  skipped,
  allowed,
});

async function readClients(
  sql: Connection,
  partners: readonly Row[],
  receivers: readonly Row[],
): Promise<Map<string, Client>> {
  const firsts = new Map(receivers.filter(({ number }) => number === 1).map((row) => [row.partner_id, row]));
  const byId = new Map(partners.map((partner) => [partner.id as number, partner]));
  const clients = new Map<string, Client>();
  for (
    const [member, table] of [["account", "account"], ["tail", "chain_tail"], ["endpoint", "endpoint"], [
      "allowance",
      "allowance",
    ]] as const
  ) {
    const rest = `${whereRange({ after: undefined, to: undefined }, table)} order by bucket, client_id`;
    for (const row of await sql.unsafe(selectFrom(table, rest))) {
      const position = positionOf(row);
      const key = clientKey(position);
      const partner = byId.get(position.client);
      clients.set(key, {
        ...clients.get(key),
        ...(partner
          ? { publicId: partner.public_id, chainKey: partner.chain_key, receiver: firsts.get(partner.id) }
          : {}),
        [member]: row,
      });
    }
  }
  return clients;
}

function checkAccounts(
  findings: Findings,
  clients: ReadonlyMap<string, Client>,
  publicIds: ReadonlyMap<number, string>,
): void {
  const left = new Map(publicIds);
  let house = 0;
  for (const [key, { account, tail, endpoint, allowance, publicId }] of clients) {
    const { bucket, client } = positionOf(account ?? tail ?? endpoint ?? allowance);
    if (!account) findings.add("row_has_client", `client ${key}`, "an account", "nothing");
    if (bucket !== client % 64) {
      findings.add("row_has_client", `client ${client}`, `bucket ${client % 64}`, bucket);
    }
    if (!account) continue;
    if (account.client_id === 0) house++;
    else if (publicId === undefined) {
      findings.add("account_has_partner", `account ${account.client_id}`, "a partner", "nothing");
    }
    left.delete(account.client_id);
    if (!publicId?.startsWith("sbx_") && account.simulations !== null) {
      findings.add(
        "account_has_partner",
        `account ${account.client_id} simulations`,
        null,
        account.simulations,
      );
    }
  }
  if (house !== 1) findings.add("account_has_partner", "account 0", "one account of the operator", house);
  for (const [id, publicId] of left) {
    findings.add("account_has_partner", `partner ${publicId}`, `the account ${id}`, "nothing");
  }
}

function headsByClient(
  findings: Findings,
  heads: readonly KeptHead[],
  publicIds: ReadonlyMap<number, string>,
): Map<number, Map<bigint, string>> {
  const numbers = new Map([...publicIds].map(([id, publicId]) => [publicId, id]));
  const kept = new Map<number, Map<bigint, string>>();
  for (const { client_id, sequence, head } of heads) {
    const client = numbers.get(client_id);
    if (client === undefined) {
      findings.add("head_is_kept", `${client_id} sequence ${sequence}`, head, "no such partner");
    } else kept.set(client, (kept.get(client) ?? new Map()).set(BigInt(sequence), head));
  }
  return kept;
}

/**
 * Returns when the database was migrated to 0.4.0. That migration made the first list of bars. A database
 * that has audit rows from before that list is migrated. In a new database the list is the oldest, so
 * -Infinity is returned.
 */
const migratedAt = (firstNoteAt = Infinity, firstListAt = -Infinity): number =>
  firstNoteAt < firstListAt ? firstListAt : -Infinity;

/** The oldest week whose attempts are kept. Infinity if there is none. */
async function attemptsKeptSince(sql: Connection): Promise<number> {
  const weeks = await sql.unsafe(
    `select c.relname
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'gold_attempts' and c.relkind = 'r'`,
  );
  const days = weeks.map(({ relname }) => /(\d{4})(\d\d)(\d\d)$/.exec(relname)).filter((day) => day !== null)
    .map(([, year, month, day]) => Date.UTC(+year!, +month! - 1, +day!));
  return Math.min(Infinity, ...days);
}
