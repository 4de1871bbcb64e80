import type { Head } from "@gold-partner/server";
import type { TransactionSql } from "postgres";
import type { Command, Row } from "../../command.ts";
import { readHeads } from "./kept_heads.ts";
import { withNewFile } from "../../new_file.ts";
import { optional } from "../../values.ts";

const verify: Command = {
  words: "ledger verify",
  usage: "ledger verify [--heads FILE]",
  does:
    "recomputes every balance, record and hash chain from the rows; with --heads, also compares the hash chains with external checkpoints; exits with 4 if it finds a defect",
  options: { heads: { type: "string" } },
  async run({ values, db, path }) {
    const file = optional(values, "heads");
    const heads = file === undefined ? [] : (await readHeads(path(file))).items;
    const { sql } = await db();
    // Read all checks from one snapshot, because the books may change meanwhile.
    const { defects, unsealed } = await sql.begin(
      "isolation level repeatable read read only",
      async (snapshot) => {
        await snapshot`set local statement_timeout = 0`;
        return {
          defects: [
            ...await snapshot<{ rule: string; subject: string; detail: string }[]>`
            select * from gold.verify_ledger() union all select * from gold.verify_chain()`,
            ...await findLostHeads(snapshot, heads),
          ],
          unsealed: await snapshot<
            { events: string }[]
          >`select coalesce(sum(events), 0)::text as events from gold.unsealed_tail()`,
        };
      },
    );
    return {
      title: defects.length === 0 ? "The ledger is clean." : `The ledger has ${defects.length} defect(s).`,
      object: {
        clean: defects.length === 0,
        defects: defects.length,
        unsealed_events: Number(unsealed[0]!.events),
        ...(file === undefined ? {} : { heads: heads.length }),
      },
      ...(defects.length === 0 ? {} : { items: defects.map((one): Row => ({ ...one })) }),
      defects: defects.length > 0,
    };
  },
};

const printHeads: Command = {
  words: "ledger heads",
  usage: "ledger heads [--out FILE]",
  does:
    "prints the head of each partner's hash chain; store it where nobody with write access to the database can change it, so that a rewritten chain is detected",
  options: { out: { type: "string" } },
  async run({ values, query, path }) {
    const rows = await query`
      select public_id as client_id, sequence::text, head from gold.chain_tail_overview where sequence > 0 order by public_id`;
    const items = rows.map(({ client_id, sequence, head }): Row => ({ client_id, sequence, head }));
    const out = optional(values, "out");
    if (out === undefined) return { items };
    const file = path(out);
    await withNewFile(file, `${JSON.stringify({ items }, null, 2)}\n`, () => Promise.resolve());
    return { title: "Store the file where no database login can reach it.", object: { file }, items };
  },
};

export const LEDGER_COMMANDS: readonly Command[] = [verify, printHeads];

async function findLostHeads(snapshot: TransactionSql, heads: readonly Head[]): Promise<Row[]> {
  if (heads.length === 0) return [];
  const rows = await snapshot`
    select h.client_id, h.sequence::text, l.head is null as gone
    from jsonb_to_recordset(${
    snapshot.json(heads.map((one) => ({ ...one })))
  }::jsonb) as h (client_id text, sequence bigint, head text)
    left join (
      select public_id, sequence, head from gold.chain_link_overview
      union all select 'audit', id, head from gold.audit_link_overview
    ) l on l.public_id = h.client_id and l.sequence = h.sequence
    where l.head is distinct from h.head order by 1, h.sequence`;
  return rows.map(({ client_id, sequence, gone }) => ({
    rule: "head_is_kept",
    subject: `${client_id} sequence ${sequence}`,
    detail: gone
      ? "the chain ends before this sequence number"
      : "the chain differs from the one that this head was taken from",
  }));
}
