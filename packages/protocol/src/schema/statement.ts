import { z } from "zod";
import { grams, sar } from "./quantity.ts";
import { date, instant } from "./text.ts";

export const statementQuery = z.strictObject({
  from: date.meta({ description: "The first day. Any span may be asked for." }),
  to: date.meta({ description: "The last day; the first one again for one day." }),
}, {
  error: "This parameter is unknown here; a statement takes from and to.",
}).refine(({ from, to }) => from <= to, {
  path: ["to"],
  message: "`to` is before `from`; both days are included.",
})
  .meta({
    id: "StatementQuery",
    description: "Days in Asia/Riyadh, both included; one that is not over yet goes up to now.",
  });
export type StatementQuery = z.infer<typeof statementQuery>;

const balance = z.object({ available_sar: sar, held_sar: sar, gold_grams: grams })
  .meta({ id: "StatementBalance", description: "The account's three balances." });

export const statementReply = z.object({
  from: date,
  to: date,
  time_zone: z.literal("Asia/Riyadh"),
  opening_balance: balance,
  closing_balance: balance,
  postings: z.array(z.object({
    posted_at: instant,
    id: z.string().meta({ description: "The order, funding or withdrawal that moved it." }),
    type: z.string().meta({ description: "What moved it, as in order.executed or withdrawal.returned." }),
    account: z.enum(["available_sar", "held_sar", "gold_grams"]),
    change: z.number().meta({ description: "In the account's unit; negative where it went down." }),
    balance_after: z.number().meta({ description: "In the account's unit." }),
  })).meta({
    description: "Every posting, oldest first: opening balance and changes add up to the closing balance.",
  }),
}).meta({ id: "Statement", description: "Every posting between two days." });
export type StatementReply = z.infer<typeof statementReply>;
