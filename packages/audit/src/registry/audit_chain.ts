import type { Findings } from "../findings.ts";
import { type Connection, Cursor } from "../snapshot.ts";
import { selectFrom } from "../tables.ts";
import { instantText, jsonArray, objectOf, Raw, sha256 } from "../values.ts";
import { NEAR_MS } from "./expected.ts";
import { type Note, Notes } from "./notes.ts";

/** A head of the audit trail that is stored outside. */
export interface AuditHead {
  readonly id: string;
  readonly head: string;
}

/** Reads the audit trail, and checks its chain: a link is sha256(previous link, the row as a JSON array). */
export async function readAudit(sql: Connection, findings: Findings, kept?: AuditHead): Promise<Notes> {
  const rows = await Cursor.open(sql, "audit_rows", selectFrom("audit", "order by id"));
  const links = await Cursor.open(sql, "audit_links", selectFrom("audit_link", "order by id"));
  const notes: Note[] = [];
  let head: Buffer = Buffer.alloc(32);
  let lastId = 0n;
  let found: string | undefined;
  const keptId = BigInt(kept?.id ?? 0);
  let latest = -Infinity;
  while (rows.row || links.row) {
    const { row } = rows;
    const link = links.row;
    const id: bigint = !link || (row && row.id < link.id) ? row!.id : link.id;
    const hasRow = row?.id === id;
    const hasLink = link?.id === id;
    if (hasRow) {
      const detail = row.detail as string;
      notes.push({ ...row, detail: objectOf(detail) });
      head = sha256(head, jsonArray(1, id, row.at, row.login, row.action, row.subject, new Raw(detail)));
    }
    const expected = hasRow ? head.toString("hex") : undefined;
    const stored = hasLink ? link.hash : undefined;
    if (expected !== stored) {
      findings.add(
        "audit_is_whole",
        `audit ${id}`,
        expected ?? "no link without its row",
        stored ?? "no link",
      );
    }
    if (stored !== undefined) head = Buffer.from(stored, "hex");
    // A superuser can append a row with any time. After a failover, the clock can be a little behind. The
    // person who writes a file of `gold audit keys` has compared the rows up to its head.
    const isReadable = hasRow && Number.isFinite(row.at);
    if (hasRow && id > keptId && !(isReadable && row.at >= latest - NEAR_MS)) {
      const rule = kept ? "head_is_kept" : "audit_is_whole";
      const found = isReadable ? instantText(row.at) : "a time that cannot be read";
      findings.add(rule, `audit ${id}`, `not before ${instantText(latest - NEAR_MS)}`, found);
    }
    if (isReadable) latest = id === keptId ? row.at : Math.max(latest, row.at);
    if (id === keptId) found = stored;
    lastId = id;
    if (hasRow) await rows.advance();
    if (hasLink) await links.advance();
  }
  await rows.close();
  await links.close();
  const tails = await sql.unsafe(selectFrom("audit_tail"));
  const end = `true ${lastId} ${head.toString("hex")}`;
  findings.expect(
    "audit_is_whole",
    "audit_tail",
    end,
    tails.map(({ one, id, head }) => `${one} ${id} ${head}`).join(" and "),
  );
  if (kept) findings.expect("head_is_kept", `audit ${kept.id}`, kept.head, found);
  return new Notes(notes);
}
