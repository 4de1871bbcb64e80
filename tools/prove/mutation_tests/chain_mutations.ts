import type { Mutation } from "./mutation.ts";

const SEAL_CHAIN = "src/booking/outbox/seal_chain.sql";
const SEAL_CHAIN_TEST = "src/booking/outbox/seal_chain.pg.test.ts";
const CHAIN_VECTORS_TEST = "src/booking/outbox/chain_vectors.pg.test.ts";
const VERIFY_LEDGER = "src/booking/ledger/verify_ledger.sql";
const VERIFY_LEDGER_TEST = "src/booking/ledger/verify_ledger.pg.test.ts";
const SEALER = "src/booking/outbox/sealer.ts";
const SEALER_TEST = "src/booking/outbox/sealer.pg.test.ts";

export const CHAIN_MUTATIONS: readonly Mutation[] = [
  {
    name: "chain: a link's hash does not include the previous hash",
    file: SEAL_CHAIN,
    from: "head := sha256(head || convert_to(record.line, 'UTF8'));",
    to: "head := sha256(convert_to(record.line, 'UTF8'));",
    tests: [SEAL_CHAIN_TEST],
    short: true,
  },
  {
    name: "chain: the hashed line omits amounts",
    file: SEAL_CHAIN,
    from: "|| '|' || t.amount",
    to: "|| '|' || 0",
    tests: [SEAL_CHAIN_TEST],
  },
  {
    name: "chain: the hashed line omits a withdrawal's reference",
    file: SEAL_CHAIN,
    from: "json_build_array(w.iban, w.reference, s.login)",
    to: "json_build_array(w.iban, s.login)",
    tests: [SEAL_CHAIN_TEST],
  },
  {
    name: "chain: the salt does not depend on the partner's key",
    file: SEAL_CHAIN,
    from: "sha256(chain_key || int8send(sequence))",
    to: "sha256(int8send(sequence))",
    tests: [CHAIN_VECTORS_TEST],
  },
  {
    name: "chain: the hashed line omits an order's answer",
    file: SEAL_CHAIN,
    from: "when 'order.executed' then o.answer",
    to: "when 'order.executed' then null",
    tests: [CHAIN_VECTORS_TEST],
    short: true,
  },
  {
    name: "chain: the answer omits the signed request",
    file: "src/booking/idempotency/take_turn.sql",
    from: "coalesce(signed_request, '')",
    to: "''::bytea",
    tests: [CHAIN_VECTORS_TEST],
  },
  {
    name: "chain: verification does not compare an answer with its key's row",
    file: VERIFY_LEDGER,
    from: "where r.answer is distinct from answer_of(",
    to: "where false and r.answer is distinct from answer_of(",
    tests: [VERIFY_LEDGER_TEST],
  },
  {
    name: "chain: verification accepts an order without its signed request",
    file: VERIFY_LEDGER,
    from: "where k.result_kind in ('order', 'withdrawal') and",
    to: "where false and",
    tests: [VERIFY_LEDGER_TEST],
  },
  {
    name: "chain: sealing continues past a missing record",
    file: SEAL_CHAIN,
    from: "if record.sequence <> sealed + 1 then",
    to: "if false then",
    tests: [SEAL_CHAIN_TEST],
  },
  {
    name: "chain: the sealer does not lock the chain tails",
    file: SEAL_CHAIN,
    from: "order by t.client_id for no key update of t\n",
    to: "order by t.client_id\n",
    tests: [SEAL_CHAIN_TEST],
  },
  {
    name: "chain: a client with more records to seal is not reported",
    file: SEAL_CHAIN,
    from: "if sealed = record.tail + most then",
    to: "if false then",
    tests: [SEAL_CHAIN_TEST],
  },
  {
    name: "chain: the sealer only handles the first clients",
    file: SEALER,
    from: "from < clients.length &&",
    to: "from < CLIENTS_PER_CALL &&",
    tests: [SEALER_TEST],
    short: true,
  },
  {
    name: "chain: one chain that cannot be sealed stops the sealing of the others",
    file: SEALER,
    from: ".catch(() => [])",
    to: "",
    tests: [SEALER_TEST],
  },
];
