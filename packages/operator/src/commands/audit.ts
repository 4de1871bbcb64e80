import type { Command, Row } from "../command.ts";
import { usage } from "../failure.ts";
import { describeDetail } from "./audit_detail.ts";
import { instantText, optional, required, wholeNumber } from "../values.ts";

const list: Command = {
  words: "audit list",
  usage: "audit list [--since INSTANT] [--subject TEXT] [--limit N]",
  does: "who changed what, the newest first; a subject is a client_id, a serial, a file's source …",
  options: {
    since: { type: "string" },
    subject: { type: "string" },
    limit: { type: "string", default: "100" },
  },
  async run({ values, query }) {
    const asked = optional(values, "since");
    const since = asked === undefined ? null : instantText(asked, "since");
    const rows = await query`
      select id::text, at, login, action, subject, detail::text from gold.audit_overview
      where at >= coalesce(${since}::text::timestamptz, '-infinity') and subject = coalesce(${
      optional(values, "subject") ?? null
    }::text, subject)
      order by audit_overview.id desc limit ${wholeNumber(required(values, "limit"), "limit")}`;
    return {
      items: rows.map(({ id, at, login, action, subject, detail }): Row => ({
        id,
        at: at.toISOString(),
        login,
        action,
        subject,
        detail: describeDetail(detail),
      })),
    };
  },
};

const verify: Command = {
  words: "audit verify",
  usage: "audit verify [--head HASH]",
  does:
    "proves that no row was edited, added or taken out; prints the head to keep outside and to pass as --head later",
  options: { head: { type: "string" } },
  async run({ values, db }) {
    const kept = optional(values, "head");
    if (kept !== undefined && !/^[0-9a-f]{64}$/.test(kept)) {
      throw usage("--head is a head that `gold audit verify` printed: 64 lower-case hexadecimal digits.");
    }
    const { sql } = await db();
    const { defects, end } = await sql.begin(
      "isolation level repeatable read read only",
      async (snapshot) => {
        await snapshot`set local statement_timeout = 0`;
        const found = await snapshot`select rule, subject, detail from gold.verify_audit()`;
        const [tail] = await snapshot`select id::text, head from gold.audit_head()`;
        const [link] = await snapshot`select from gold.audit_link_overview where head = ${kept ?? null}`;
        const lost = kept === undefined || link ? [] : [{
          rule: "head_is_kept",
          subject: kept,
          detail: "this head is no link of the audit's chain: rows up to it were written anew",
        }];
        return { defects: [...found.map((one): Row => ({ ...one })), ...lost], end: tail };
      },
    );
    const clean = defects.length === 0;
    return {
      title: clean ? "The audit is clean." : `The audit has ${defects.length} defect(s).`,
      object: { clean, defects: defects.length, last_id: end?.id ?? "0", head: end?.head ?? null },
      ...(clean ? {} : { items: defects }),
      defects: !clean,
    };
  },
};

export const AUDIT_COMMANDS: readonly Command[] = [list, verify];
