import type { Mutation } from "./mutation.ts";

const GATE = "src/database/proposals/gate.sql";
const PROPOSE = "src/database/proposals/propose.sql";
const RETURN = "src/booking/withdrawal/advance_withdrawal.sql";
const GATES_TEST = "src/database/proposals/gates.pg.test.ts";
const PROPOSALS_TEST = "src/database/proposals/proposals.pg.test.ts";

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
    name: "proposal: a withdrawal is returned while it is being paid",
    file: RETURN,
    from:
      "  perform from account a join withdrawal w on w.bucket = a.bucket and w.client_id = a.client_id\n  where w.id = return_withdrawal.id for no key update of a;\n",
    to: "",
    tests: [GATES_TEST],
  },
];
