import type { Command } from "../command.ts";

const verify: Command = {
  words: "ledger verify",
  usage: "ledger verify",
  does: "recomputes every balance, record and chain from the rows; 4 when something does not follow",
  async run({ db }) {
    const { sql } = await db();
    // One snapshot for all checks: the books may move meanwhile.
    const { defects, unsealed } = await sql.begin(
      "isolation level repeatable read read only",
      async (snapshot) => ({
        defects: await snapshot<{ rule: string; subject: string; detail: string }[]>`
        select * from gold.verify_ledger() union all select * from gold.verify_chain()`,
        unsealed: await snapshot<
          { events: string }[]
        >`select coalesce(sum(events), 0)::text as events from gold.unsealed_tail()`,
      }),
    );
    return {
      title: defects.length === 0 ? "The ledger is clean." : `The ledger has ${defects.length} defect(s).`,
      object: {
        clean: defects.length === 0,
        defects: defects.length,
        unsealed_events: Number(unsealed[0]!.events),
      },
      ...(defects.length === 0 ? {} : { items: defects.map((one) => ({ ...one })) }),
      defects: defects.length > 0,
    };
  },
};

export const LEDGER_COMMANDS: readonly Command[] = [verify];
