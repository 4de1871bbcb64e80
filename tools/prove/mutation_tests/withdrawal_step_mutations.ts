import type { Mutation } from "./mutation.ts";

const PAYMENT_DOCUMENT = "src/booking/withdrawal/payment_document.sql";
const ADVANCE_WITHDRAWAL = "src/booking/withdrawal/advance_withdrawal.sql";
const TABLES = "migrations/0001_contract.sql";
const ISOLATION_TEST = "src/booking/isolation.pg.test.ts";
const STEPS_TEST = "src/booking/withdrawal/advance_withdrawal.pg.test.ts";
const BATCH_TEST = "src/booking/withdrawal/payment_batch.pg.test.ts";
const CONSTRAINTS_TEST = "src/booking/withdrawal/withdrawal_constraints.pg.test.ts";
const RACES_TEST = "src/booking/withdrawal/withdrawal_races.pg.test.ts";

export const WITHDRAWAL_STEP_MUTATIONS: readonly Mutation[] = [
  {
    name: "step: the account is not locked",
    file: ADVANCE_WITHDRAWAL,
    from: "where a.bucket = given.bucket and a.client_id = given.client_id for no key update;",
    to: "where a.bucket = given.bucket and a.client_id = given.client_id;",
    tests: [RACES_TEST],
  },
  {
    name: "step: the isolation level is not checked",
    file: ADVANCE_WITHDRAWAL,
    from: "  perform require_read_committed();\n",
    to: "",
    tests: [ISOLATION_TEST],
  },
  {
    name: "step: any step may follow any other",
    file: ADVANCE_WITHDRAWAL,
    from: "if last.status <> all (follows) then",
    to: "if false then",
    tests: [STEPS_TEST],
    short: true,
  },
  {
    name: "step: an approved withdrawal cannot be rejected",
    file: ADVANCE_WITHDRAWAL,
    from: "when 'rejected' then '{pending_approval,approved}'",
    to: "when 'rejected' then '{pending_approval}'",
    tests: [STEPS_TEST],
  },
  {
    name: "step: the function lets the operator who approved a withdrawal also submit it",
    file: ADVANCE_WITHDRAWAL,
    from: "elsif target = 'submitted' and last.login = actor then",
    to: "elsif false then",
    tests: [STEPS_TEST],
  },
  {
    name: "step: the role is stored instead of the login",
    file: ADVANCE_WITHDRAWAL,
    from: "select gold.step_withdrawal(session_user, id, target, batch)",
    to: "select gold.step_withdrawal(current_user, id, target, batch)",
    tests: [STEPS_TEST],
  },
  {
    name: "step: a paid withdrawal is returned from held money",
    file: ADVANCE_WITHDRAWAL,
    from: "debit := case when last.status = 'paid' then 'bank' else 'held' end;",
    to: "debit := 'held';",
    tests: [STEPS_TEST],
  },
  {
    name: "step: a step may be dated before the account's newest posting",
    file: ADVANCE_WITHDRAWAL,
    from: "at := account_instant(holder, ceil_millisecond(clock_timestamp()));",
    to: "at := ceil_millisecond(clock_timestamp());",
    tests: [STEPS_TEST],
  },
  {
    name: "step: an approval takes no sequence number",
    file: ADVANCE_WITHDRAWAL,
    from: "    perform take_sequence(given.client_id, next_sequence, at);\n",
    to: "    null;\n",
    tests: [STEPS_TEST],
  },
  {
    name: "step: the audit row does not name the batch",
    file: ADVANCE_WITHDRAWAL,
    from: "'amount', given.amount, 'batch', batch)",
    to: "'amount', given.amount)",
    tests: [STEPS_TEST],
  },
  {
    name: "batch: a withdrawal is paid during the hold after an IBAN change",
    file: ADVANCE_WITHDRAWAL,
    from: "  if found then\n    raise exception 'the IBAN of",
    to: "  if false then\n    raise exception 'the IBAN of",
    tests: [BATCH_TEST],
    short: true,
  },
  {
    name: "batch: the hold after an IBAN change is an hour too short",
    file: ADVANCE_WITHDRAWAL,
    from: "return changed + interval '24 hours'",
    to: "return changed + interval '23 hours'",
    tests: [BATCH_TEST],
  },
  {
    name: "batch: accounts are locked in the order of the withdrawals",
    file: ADVANCE_WITHDRAWAL,
    from: "    order by a.client_id for no key update of a\n",
    to:
      "    order by array_position(ids, (select min(w.id::text)::uuid from withdrawal w where w.client_id = a.client_id and w.id = any (ids))) for no key update of a\n",
    tests: [BATCH_TEST],
  },
  {
    name: "batch: a withdrawal can occur twice",
    file: PAYMENT_DOCUMENT,
    from: "<> cardinality(ids) then",
    to: "> cardinality(ids) then",
    tests: [BATCH_TEST],
  },
  {
    name: "batch: an empty batch is accepted",
    file: PAYMENT_DOCUMENT,
    from: "if coalesce(cardinality(ids), 0) = 0 then",
    to: "if cardinality(ids) = 0 then",
    tests: [BATCH_TEST],
  },
  {
    name: "schema: one operator can approve and submit a withdrawal",
    file: TABLES,
    from:
      'CHECK ("gold"."withdrawal_step"."status" <> \'submitted\' or "gold"."withdrawal_step"."login" <> "gold"."withdrawal_step"."previous_login")',
    to: "CHECK (true)",
    tests: [CONSTRAINTS_TEST],
    short: true,
  },
  {
    name: "schema: a rejected withdrawal can be submitted",
    file: TABLES,
    from: "('approved', 'submitted'), ",
    to: "('approved', 'submitted'), ('rejected', 'submitted'), ",
    tests: [CONSTRAINTS_TEST],
  },
  {
    name: "schema: a step can follow a step that does not exist",
    file: TABLES,
    from:
      'REFERENCES "gold"."withdrawal_step"("bucket","client_id","withdrawal_id","status","login") ON DELETE no action ON UPDATE no action',
    to:
      'REFERENCES "gold"."withdrawal_step"("bucket","client_id","withdrawal_id","status","login") ON DELETE no action ON UPDATE no action NOT ENFORCED',
    tests: [CONSTRAINTS_TEST],
  },
  {
    name: "schema: two steps can follow the same step",
    file: TABLES,
    from: 'CREATE UNIQUE INDEX "withdrawal_step_previous"',
    to: 'CREATE INDEX "withdrawal_step_previous"',
    tests: [CONSTRAINTS_TEST],
  },
  {
    name: "schema: a submission needs no batch",
    file: TABLES,
    from:
      'CHECK (("gold"."withdrawal_step"."status" = \'submitted\') = ("gold"."withdrawal_step"."batch_id" is not null))',
    to: "CHECK (true)",
    tests: [CONSTRAINTS_TEST],
  },
];
