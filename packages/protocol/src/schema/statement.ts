import { z } from "zod";
import { replyOf, textsOf } from "./member.ts";
import { ORDER } from "./order.ts";
import { grams, sar } from "./quantity.ts";
import { date, instant, reservesListIdText } from "./text.ts";
import { WITHDRAWAL } from "./withdrawal.ts";

export const statementQuery = z.strictObject({
  from: date.meta({ description: "The first day. The span has no limit." }),
  to: date.meta({ description: "The last day. For one day, send the same date as in `from`." }),
}, {
  error: "This parameter is unknown; a statement supports from and to.",
}).refine(({ from, to }) => from <= to, {
  path: ["to"],
  message: "`to` must not be before `from`; both days are included.",
})
  .meta({
    id: "StatementQuery",
    description: "Days in Asia/Riyadh, both included. A day that has not ended is included up to now.",
  });
export type StatementQuery = z.infer<typeof statementQuery>;

export const statementBalance = z.object({
  available_sar: sar.meta({ description: "SAR that can be traded or withdrawn." }),
  held_sar: sar.meta({ description: "SAR of withdrawals that are not yet paid." }),
  gold_grams: grams.meta({ description: "Gold in grams, at most 4 decimals." }),
})
  .meta({ id: "StatementBalance", description: "The account's three balances." });

/** The texts of postings: those of the order or withdrawal. */
export const POSTING_TEXTS = textsOf({ ...WITHDRAWAL, ...ORDER });
/** The texts of later versions are the last columns of the CSV, so that earlier columns keep their positions. */
const { reference: _, account_label, ...others } = replyOf(POSTING_TEXTS);

export const statementReply = z.object({
  from: date.meta({ description: "The first day." }),
  to: date.meta({ description: "The last day." }),
  time_zone: z.literal("Asia/Riyadh").meta({ description: "The time zone of the days." }),
  opening_balance: statementBalance.meta({ description: "The balances before the first day." }),
  closing_balance: statementBalance.meta({
    description: "The balances after the last day, or the current balances if that day has not ended.",
  }),
  postings: z.array(z.object({
    posted_at: instant.meta({ description: "When the posting was booked." }),
    id: z.string().meta({ description: "The order, funding or withdrawal that caused the posting." }),
    type: z.string().meta({
      description: "What caused the posting, such as order.executed or withdrawal.returned.",
    }),
    account: z.enum(["available_sar", "held_sar", "gold_grams"]).meta({
      description: "The balance that changed; its name tells the unit.",
    }),
    change: z.number().meta({ description: "In the account's unit; negative for a decrease." }),
    balance_after: z.number().meta({ description: "In the account's unit." }),
    reference: z.string().meta({
      description: "The reference of the order or withdrawal; absent if it has none. Empty in CSV.",
    }).optional(),
    account_label,
    reserves_list_id: reservesListIdText.meta({
      description:
        "The list of bars that the order names; absent for other postings and for orders before 0.4.0.",
    }).optional(),
    ...others,
  })).meta({
    description: "Every posting, oldest first: opening balance and changes add up to the closing balance.",
  }),
}).meta({ id: "Statement", description: "Every posting between two days." });
export type StatementReply = z.infer<typeof statementReply>;
