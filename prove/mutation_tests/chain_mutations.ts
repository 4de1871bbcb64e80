import type { Mutation } from "./mutation.ts";

const SEAL_CHAIN = "src/booking/outbox/seal_chain.sql";
const SEAL_CHAIN_TEST = "src/booking/outbox/seal_chain.pg.test.ts";
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
