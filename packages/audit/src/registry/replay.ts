// Replays the audit trail, which gives the rows that must exist. To audit a new action, add its line to
// CREDENTIAL_ACTIONS or DEPLOYMENT_ACTIONS; to audit a new column, add the column to the lines of the actions
// that set it.
import type { ChangeAction } from "@gold-partner/approvals";
import type { Findings } from "../findings.ts";
import type { Action } from "./action.ts";
import { CREDENTIAL_ACTIONS } from "./credential_actions.ts";
import { DEPLOYMENT_ACTIONS } from "./deployment_actions.ts";
import { type Columns, ExpectedTables } from "./expected.ts";
import type { Note } from "./notes.ts";

/** Every action that a change writes, and those of one person's changes. */
const ACTIONS: Readonly<Record<string, Action>> = {
  ...CREDENTIAL_ACTIONS,
  ...DEPLOYMENT_ACTIONS,
} satisfies Readonly<Record<ChangeAction, Action>>;

/** What a new deployment has before an operator changes it. */
const DEPLOYMENT_DEFAULTS: Columns = {
  payout_name: null,
  payout_iban: null,
  payout_bic: null,
  partner_rate_per_second: 50,
  partner_burst: 200,
  partner_open_quotes: 100,
  partner_open_grams: 50_000_000n,
  partner_daily_records: 100_000,
  partner_net_grams: null,
  partner_daily_withdrawals: null,
  partner_daily_withdrawn: null,
  requests_kept_since: null,
  two_people: false,
  pepper_name: null,
};

export function replay(notes: readonly Note[], findings: Findings): ExpectedTables {
  const tables = new ExpectedTables();
  if (notes.some(({ action }) => action === "deployment.settle")) {
    tables.set("deployment", "deployment", DEPLOYMENT_DEFAULTS);
  }
  tables.set("market", "market", {
    always_open: true,
    halt_basis_points: null,
    halt_seconds: null,
    halted_at: null,
    band_basis_points: null,
    band_hour_basis_points: null,
  });
  for (const note of notes) {
    const action = Object.hasOwn(ACTIONS, note.action) ? ACTIONS[note.action] : undefined;
    if (!action) {
      findings.add("note_is_known", `audit ${note.id}`, "an action of this release", note.action);
      continue;
    }
    try {
      const { mode: _mode, proposal, ...detail } = note.detail;
      action(tables, { ...note, detail }, proposal);
    } catch (error) {
      findings.add(
        "note_is_known",
        `audit ${note.id}`,
        `a complete ${note.action}`,
        (error as Error).message,
      );
    }
  }
  return tables;
}
