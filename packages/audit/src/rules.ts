// Every rule of the audit, by name. To add a rule, add its line here. Then call `findings.add()` in the
// module that has the rows. docs/audit.md lists the same rules, and a test compares the two lists.

export const RULES = {
  row_has_client: "every row belongs to an account, in the bucket of its client's number",
  account_has_partner:
    "every partner has one account, and every account has one partner; client 0 is the operator",
  events_without_gap: "a client's events are numbered 1, 2, 3 …, and their instants never decrease",
  event_has_record: "every event names the record that it reports, with that record's instant",
  record_has_event: "every order, funding, withdrawal step, reversal and notice has its event",
  transfer_is_derived: "the transfers of a record follow exactly from its kind, amounts and instant",
  balance_follows: "the balances after each transfer follow from the transfer before it",
  account_is_sum: "an account's balances, sequence number and instant equal those after its last record",
  held_is_withdrawals: "held SAR equal the sum of the open withdrawals",
  vault_is_sum:
    "the free gold of the vault is the sum of its transfers, and clients' gold plus free gold equals the bars",
  bar_is_booked: "every bar has its transfers, and every transfer of the operator has its bar",
  bar_list_is_whole:
    "the lists of bars are numbered without a gap, each has the hash of its bars, and each change of the bars starts a list",
  order_names_list: "an order names the list of bars that was in force when it was executed",
  gold_is_backed: "clients' gold plus free gold equals the fine weight of the list of bars in force",
  reserves_follow_bars:
    "the published reserves name the bars of their instant, and their figures follow from the bars",
  chain_is_whole: "every link is sha256(previous link, line of the record)",
  chain_head: "every chain ends at its recorded tail",
  head_is_kept:
    "every chain still contains the heads that are stored outside, and no later audit row has an earlier time (--heads, --keys, --operator-keys)",
  quote_is_exact:
    "a quote's total follows from its price and grams by the rounding rule, and its end is after its beginning",
  quote_has_price:
    "a quote has the price and the lifetime of the price row that it names, and the row was in force when the quote was made",
  price_is_recorded:
    "every hash of the price history is sha256(previous hash, line of the row), and the current price is its newest row",
  price_is_allowed:
    "every price has the source and terms of the price.set in force, a fixed price equals it, and a price or a swing outside the band has an approved price.set",
  order_is_quoted: "an order has the values of its quote and was executed while the quote was firm",
  reply_is_record: "every stored reply is the text of its record, byte for byte, or a documented refusal",
  record_has_reply:
    "every quote, order, withdrawal and requested change has exactly one stored reply; a funding has one, or a deposit",
  answer_is_bound:
    "a record's answer is the hash of its stored key, fingerprint, reply, request and signing key",
  request_is_kept:
    "every order, withdrawal and bound refusal has its signed request, except those that a process of 0.3.0 booked",
  request_matches: "a stored request matches its record: method, target, nonce, fingerprint and body",
  request_is_answered:
    "a change that answers a partner's request equals all of it, and each of an approved proposal and its request names the other",
  request_is_signed:
    "a stored request has a valid signature by a key that the partner had at that time (--signatures)",
  nonce_is_spent: "every signed request that has a reply spent one nonce, and no nonce was spent twice",
  withdrawal_is_stepped: "a withdrawal's steps name the steps before them and match the audit trail",
  document_is_noted:
    "a payment document has the hash in the audit trail, and is the text that follows from its withdrawals, names and payout account",
  allowance_covers:
    "a partner's counted open quotes are at least its open quotes, and the gold with which its day began follows from its orders",
  exposure_is_counted:
    "the operator's exposure is the sum of the day's orders and of the open quotes, and without a limit nothing is counted",
  event_is_delivered: "an event that counts as delivered has a successful attempt",
  delivery_has_event: "every attempt and every retry belongs to an event of the right type",
  credential_has_event: "every credential has its events, with equal members, in the partner's own chain",
  change_has_event: "a partner's IBAN and webhook URL equal those in the newest events about them",
  day_is_closed:
    "every ended day with activity has one day.closed, with the range, balances, counts and hashes that its rows give",
  epoch_is_whole:
    "the epochs are numbered without a gap, timelines increase within a cluster, and a day.closed names its epoch",
  notice_is_due: "a notice of an expiring credential was due when it was posted",
  audit_is_whole:
    "every link of the audit trail is sha256(previous link, row), the trail ends at its tail, and no row is more than 60 s earlier than a row before it",
  note_is_known: "every row of the audit trail has an action that this release knows",
  login_is_admitted:
    "every audit row since 0.5.0 has the login of an operator added before, of the database's owner for set-up and settings, or of a process of the service",
  registry_is_noted:
    "partners, credentials, terms, bars, prices, deposits, batches and the deployment match the audit trail",
  change_is_approved:
    "under two people, every change of a kind that needs an approval names an approved proposal with its content and hash, and no approval puts an older value back",
  approval_is_signed:
    "every approval has the valid signatures of two people for this deployment, in a sandbox since its first operator key, from the file that is stored outside (--operator-keys)",
  key_is_thumbprint: "the name of a key is the hash of the key",
  problem_is_release: "the table of problems equals this release's table",
  catalog_is_release:
    "functions, triggers, constraints, indexes, columns, views, types, sequences, owners and grants match this release, and the database has no other objects",
  role_is_expected:
    "no role has more attributes, memberships or settings than the release, the audit trail and --keys give it",
  builtin_is_postgres:
    "the columns, functions, operators, casts, aggregates, types and views that initdb created are those of this version of Postgres, with no more grants",
  setting_is_safe:
    "fsync and full_page_writes are on, synchronous_commit is neither off nor local, triggers fire, and pg_hba.conf and pg_ident.conf let this server alone decide who logs in",
  key_is_kept:
    "the id of the deployment, the operators, their keys and the active credentials equal those in the file that is stored outside (--keys)",
} as const;

export type Rule = keyof typeof RULES;
