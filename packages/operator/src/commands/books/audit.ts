import type { Command, Row } from "../../command.ts";
import { usage } from "../../failure.ts";
import { describeDetail } from "./audit_detail.ts";
import { instantText, optional, required, wholeNumber } from "../../values.ts";

const list: Command = {
  words: "audit list",
  usage: "audit list [--since INSTANT] [--subject TEXT] [--limit N]",
  does: "lists who changed what, newest first; a subject is, for example, a client_id or a bar's serial",
  options: {
    since: { type: "string" },
    subject: { type: "string" },
    limit: { type: "string", default: "100" },
  },
  async run({ values, query }) {
    const given = optional(values, "since");
    const since = given === undefined ? null : instantText(given, "since");
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
    "checks that no audit row was edited, added or removed, and prints the head of the hash chain; store the head outside the database and pass it as --head later, so that a rewritten chain is detected",
  options: { head: { type: "string" } },
  async run({ values, db }) {
    const kept = optional(values, "head");
    if (kept !== undefined && !/^[0-9a-f]{64}$/.test(kept)) {
      throw usage(
        `--head must be a head that gold audit verify printed, 64 lower-case hexadecimal digits; got ${kept}.`,
      );
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
          detail:
            "the audit's hash chain does not contain this head: rows up to this head were changed, or it is the head of another database",
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
