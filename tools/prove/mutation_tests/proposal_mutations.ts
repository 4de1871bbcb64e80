import type { Mutation } from "./mutation.ts";

const GATE = "src/database/proposals/gate.sql";
const PROPOSE = "src/database/proposals/propose.sql";
const RETURN = "src/booking/withdrawal/advance_withdrawal.sql";
const GATES_TEST = "src/database/proposals/gates.pg.test.ts";
const PROPOSALS_TEST = "src/database/proposals/proposals.pg.test.ts";

const CHANGE_DEPOSIT = "src/booking/deposit/change_deposit.sql";
const PAYMENT_DOCUMENT = "src/booking/withdrawal/payment_document.sql";
const MONEY_TEST = "src/database/proposals/money.pg.test.ts";
const AUDITED = "../audit/src/registry/proposals.ts";
const AUDITED_TEST = "../audit/src/registry/proposals.pg.test.ts";

export const PROPOSAL_MUTATIONS: readonly Mutation[] = [
  {
    name: "proposal: one login makes a change that needs two people",
    file: GATE,
    from: "if not two_people() then",
    to: "if true then",
    tests: [GATES_TEST],
    short: true,
  },
  {
    name: "proposal: an approval of one change allows another one",
    file: GATE,
    from: "where coalesce(applied.content -> p.key, 'null') <> p.value)",
    to: "where false)",
    tests: [PROPOSALS_TEST],
  },
  {
    name: "proposal: the approved hash is not compared",
    file: PROPOSE,
    from: "elsif proposal_sha256(given) is distinct from sha256 then",
    to: "elsif false then",
    tests: [PROPOSALS_TEST],
  },
  {
    name: "proposal: an expired one is approved",
    file: PROPOSE,
    from: "elsif clock_timestamp() >= given.expires_at then",
    to: "elsif false then",
    tests: [PROPOSALS_TEST],
  },
  {
    name: "proposal: an older one puts an old value back",
    file: PROPOSE,
    from: "  perform refuse_outdated(given);\n",
    to: "",
    tests: ["src/database/proposals/outdated.pg.test.ts"],
  },
  {
    name: "audit: an approval that puts an old value back is accepted",
    file: AUDITED,
    from: "newer > (proposed.get(subject) ?? 0n)",
    to: "false",
    tests: [AUDITED_TEST],
  },
  {
    name: "proposal: its own proposer approves it",
    file: PROPOSE,
    from: "if given.proposer = session_user then",
    to: "if false then",
    tests: [PROPOSALS_TEST],
  },
  {
    name: "proposal: the table accepts one login as proposer and approver",
    file: "migrations/0012_proposals.sql",
    from:
      '"gold"."proposal"."state" = \'rejected\' or "gold"."proposal"."decided_by" is distinct from "gold"."proposal"."proposer"',
    to: "true",
    tests: [PROPOSALS_TEST],
    short: true,
  },
  {
    name: "proposal: a login proposes a kind without its role",
    file: PROPOSE,
    from: "  perform require_role_of(session_user, kind, false);\n",
    to: "",
    tests: ["../operator/src/commands/operator_roles.pg.test.ts"],
  },
  {
    name: "proposal: the migration login approves without the role of the kind",
    file: "src/database/proposals/require_role.sql",
    from: "or (not approving and pg_has_role(r.oid, 'gold_owner', 'usage'))",
    to: "or pg_has_role(r.oid, 'gold_owner', 'usage')",
    tests: [PROPOSALS_TEST],
  },
  {
    name: "proposal: one person returns a withdrawal",
    file: RETURN,
    from:
      "  perform require_approval(jsonb_build_object('withdrawal', return_withdrawal.id), 'withdrawal.return');\n",
    to: "",
    tests: [GATES_TEST],
  },
  {
    name: "proposal: an authority under the fingerprint of another certificate",
    file: "src/database/proposals/apply_change.sql",
    from: "      perform refuse_other_fingerprint(content ->> 'fingerprint', content ->> 'certificate');\n",
    to: "",
    tests: [PROPOSALS_TEST],
  },
  {
    name: "proposal: a change of nothing",
    file: "src/database/proposals/apply_change.sql",
    from: "  perform refuse_no_change(kind, content);\n",
    to: "",
    tests: [PROPOSALS_TEST],
  },
  {
    name: "money: one login records a deposit under two people",
    file: CHANGE_DEPOSIT,
    from:
      "perform require_approval(jsonb_build_object('client_id', public, 'amount', amount::text, 'bank_reference', bank_reference), 'deposit.record');",
    to: "",
    tests: [MONEY_TEST],
    short: true,
  },
  {
    name: "money: one login takes a booked deposit back under two people",
    file: CHANGE_DEPOSIT,
    from: "perform require_approval(jsonb_build_object('deposit', reverse_deposit.id), 'deposit.reverse');",
    to: "perform 1;",
    tests: [MONEY_TEST],
  },
  {
    name: "money: a login approves an earlier deposit under two people",
    file: CHANGE_DEPOSIT,
    from: "if two_people() then",
    to: "if false then",
    tests: [MONEY_TEST],
  },
  {
    name: "money: the amount of a deposit is not compared with the approval",
    file: CHANGE_DEPOSIT,
    from: "id := record_deposit_as(applied.proposer, public, amount, bank_reference);",
    to: "id := record_deposit_as(applied.proposer, public, amount + 1, bank_reference);",
    tests: [MONEY_TEST],
  },
  {
    name: "money: a deposit locks the audit before the account",
    file: CHANGE_DEPOSIT,
    from:
      "  perform from account a where a.bucket = subject.id % 64 and a.client_id = subject.id for no key update;\n",
    to: "",
    tests: [MONEY_TEST],
  },
  {
    name: "money: one login submits a payment under two people",
    file: PAYMENT_DOCUMENT,
    from:
      "perform require_approval(jsonb_build_object('batch', batch, 'prepared_at', instant_text(prepared_at), 'document_sha256', sha256,\n    'payments', payments_of(ids)), 'payment.submit');",
    to: "",
    tests: [MONEY_TEST],
    short: true,
  },
  {
    name: "money: a proposal can show other payments than its document pays",
    file: PAYMENT_DOCUMENT,
    from: "'document_sha256', sha256,\n    'payments', payments_of(ids)), 'payment.submit');",
    to: "'document_sha256', sha256), 'payment.submit');",
    tests: [MONEY_TEST],
  },
  {
    name: "money: the login that approved a withdrawal proposes its payment",
    file: PAYMENT_DOCUMENT,
    from: "perform submit_withdrawals_as(coalesce(applied.proposer, session_user),",
    to: "perform submit_withdrawals_as(coalesce(applied.decided_by, 'somebody'),",
    tests: [MONEY_TEST],
  },
  {
    name: "audited proposal: the subject of the change is not compared",
    file: AUDITED,
    from: "if (approved !== undefined) {",
    to: "if (false) {",
    tests: [AUDITED_TEST],
  },
  {
    name: "audited proposal: the change can state a limit that its proposal does not have",
    file: AUDITED,
    from: "if (stated[name] === undefined && !isWhole) continue;",
    to: "if (stated[name] === undefined) continue;",
    tests: [AUDITED_TEST],
  },
  {
    name: "audited proposal: one person gives an operator a role",
    file: AUDITED,
    from: '  "operator.set": ["operator.set"],\n',
    to: "",
    tests: [AUDITED_TEST],
  },
  {
    name: "audited proposal: a superuser approves an expired proposal with an earlier time",
    file: AUDITED,
    from: "if (near && !near.matches(decided_at)) {",
    to: "if (false) {",
    tests: [AUDITED_TEST],
  },
  {
    name: "audited approval: an ended key holds if a superuser writes an earlier time",
    file: "../audit/src/registry/approvals.ts",
    from: "ends.set(detail.fingerprint, -Infinity)",
    to: "void 0",
    tests: ["../audit/src/security_model.pg.test.ts"],
  },
];
