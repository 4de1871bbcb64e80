// Compares the tables of partners, credentials, terms and the deployment with the replayed audit trail.
import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { selectFrom, type Table } from "../tables.ts";
import { instantText, sha256Hex } from "../values.ts";
import { type Columns, type ExpectedTables, Near } from "./expected.ts";

const INSTANT_COLUMN = /(_at|_before|_after|as_of)$/;

/**
 * `keyOf` builds the key under which the replay stored the row. `partner` is the public id of its partner.
 */
interface Comparison {
  readonly table: Table;
  readonly order: string;
  readonly keyOf: (row: Row, partner: string, position: number) => string;
  readonly partnerColumn?: string;
  /** Only these rows follow from the audit trail. */
  readonly where?: string;
}

const COMPARISONS: readonly Comparison[] = [
  { table: "partner", order: "id", keyOf: ({ public_id }) => public_id },
  {
    table: "allowed_ip",
    order: "partner_id, range",
    keyOf: ({ range }, partner) => `${partner} ${range}`,
    partnerColumn: "partner_id",
  },
  { table: "allowance", order: "client_id", keyOf: (_, partner) => partner, partnerColumn: "client_id" },
  {
    table: "receiver",
    order: "partner_id, number",
    keyOf: ({ number }, partner) => `${partner} ${number}`,
    partnerColumn: "partner_id",
  },
  {
    table: "client_secret",
    order: "partner_id, id",
    keyOf: (_, partner, position) => `${partner} #${position}`,
    partnerColumn: "partner_id",
  },
  {
    table: "webhook_secret",
    order: "partner_id, id",
    keyOf: (_, partner, position) => `${partner} #${position}`,
    partnerColumn: "partner_id",
  },
  {
    table: "signing_key",
    order: "partner_id, thumbprint",
    keyOf: ({ thumbprint }, partner) => `${partner} ${thumbprint}`,
    partnerColumn: "partner_id",
  },
  {
    table: "certificate",
    order: "fingerprint",
    keyOf: ({ fingerprint }) => fingerprint,
    partnerColumn: "partner_id",
  },
  { table: "authority", order: "created_at", keyOf: ({ fingerprint }) => fingerprint },
  { table: "operator_key", order: "fingerprint", keyOf: ({ fingerprint }) => fingerprint },
  { table: "token_key", order: "kid", keyOf: ({ kid }) => kid },
  { table: "bar", order: "serial", keyOf: ({ serial }) => serial },
  { table: "price", order: "one", keyOf: ({ one }) => one ? "price" : "another price" },
  { table: "market_session", order: "day, opens", keyOf: ({ day, opens }) => `${day} ${opens}` },
  { table: "deployment", order: "one", keyOf: ({ one }) => one ? "deployment" : "another deployment" },
  { table: "deposit", order: "id", keyOf: ({ id }) => id, partnerColumn: "client_id" },
  {
    table: "change_request",
    order: "id",
    keyOf: ({ id }) => id,
    partnerColumn: "client_id",
    where: "num_nonnulls(taken_by, taken_at, proposal, certificate, declined_by, declined_at, reason) > 0",
  },
  { table: "payment_batch", order: "id", keyOf: ({ id }) => id },
];

/** Returns the rows that it read, for the rules of keys and of external files. */
export async function compareRegistry(
  sql: Connection,
  findings: Findings,
  expected: ExpectedTables,
  publicIds: ReadonlyMap<number, string>,
): Promise<Readonly<Partial<Record<Table, readonly Row[]>>>> {
  const read: Partial<Record<Table, readonly Row[]>> = {};
  for (const { table, order, keyOf, partnerColumn, where = "true" } of COMPARISONS) {
    const rows: readonly Row[] = await sql.unsafe(selectFrom(table, `where ${where} order by ${order}`));
    read[table] = rows;
    const left = new Map(expected.of(table));
    const positions = new Map<string, number>();
    for (const row of rows) {
      const partner = partnerColumn
        ? publicIds.get(row[partnerColumn]) ?? `partner ${row[partnerColumn]}`
        : "";
      const position = positions.get(partner) ?? 0;
      positions.set(partner, position + 1);
      const key = keyOf(row, partner, position);
      const columns = left.get(key);
      left.delete(key);
      if (!columns) {
        findings.add(
          "registry_is_noted",
          `${table} ${key}`,
          "nothing",
          "a row that the audit trail does not have",
        );
      } else {compareColumns(
          findings,
          `${table} ${key}`,
          { ...columns, ...also(table, row, expected) },
          derived(table, row, partner, read),
        );}
    }
    for (const key of left.keys()) {
      findings.add("registry_is_noted", `${table} ${key}`, "a row, which the audit trail has", "nothing");
    }
  }
  return read;
}

/** Columns that have another name in the replay. */
function also(table: Table, row: Row, expected: ExpectedTables): Columns {
  if (table === "webhook_secret") return expected.of("resealed").get(`${row.id}`) ?? {};
  if (table === "price") return expected.of("market").get("market")!;
  return {};
}

/** The number of the partner's endpoint. A partner without a URL has a secret of its first endpoint, too. */
const endpointOf = ({ receiver_id: id, partner_id }: Row, receivers: readonly Row[] | undefined) =>
  id === partner_id ? 1 : receivers?.find((row) => row.id === id && row.partner_id === partner_id)?.number ??
    "no endpoint of this partner";

const derived = (
  table: Table,
  row: Row,
  partner: string,
  read: Readonly<Partial<Record<Table, readonly Row[]>>>,
): Row => ({
  ...row,
  partner,
  ...(table === "payment_batch" ? { document_sha256: sha256Hex(row.document), withdrawals: undefined } : {}),
  ...(table === "change_request"
    ? {
      certificate_sha256: row.certificate === null ? null : sha256Hex(row.certificate),
      wanted_sha256: row.wanted === null ? null : sha256Hex(row.wanted),
    }
    : {}),
  ...(table === "client_secret" ? { hash_sha256: sha256Hex(Buffer.from(row.hash, "hex")) } : {}),
  ...(table === "receiver" ? { is_first: row.id === row.partner_id } : {}),
  ...(table === "webhook_secret" ? { endpoint: endpointOf(row, read.receiver) } : {}),
  ...("sealed" in row ? { sealed_sha256: sha256Hex(Buffer.from(row.sealed, "hex")) } : {}),
  ...(table === "authority"
    ? { revocation_list_sha256: row.revocation_list === null ? null : sha256Hex(row.revocation_list) }
    : {}),
});

function compareColumns(findings: Findings, name: string, columns: Columns, row: Row): void {
  for (const [column, expected] of Object.entries(columns)) {
    // The number of withdrawals of a batch is compared with its document.
    if (expected === undefined || column === "withdrawals") continue;
    const found = row[column];
    if (expected instanceof Near ? expected.matches(found) : expected === found) continue;
    const spell = (value: unknown) =>
      typeof value === "number" && INSTANT_COLUMN.test(column)
        ? instantText(value)
        : value instanceof Near
        ? `${value}`
        : value;
    findings.expect("registry_is_noted", `${name} ${column}`, spell(expected), spell(found));
  }
}
