import type { Mutation } from "./mutation.ts";

const OPERATOR_KEY = "src/database/proposals/operator_key.sql";
const OPERATOR_KEY_TEST = "src/database/proposals/operator_key.pg.test.ts";
const ACTIVE_KEY = "where k.login = login and k.fingerprint = found_key and k.ended_at is null for share;";
const PROPOSE = "src/database/proposals/propose.sql";
const VERIFIER = "../approvals/src/verifier.ts";
const VERIFIER_TEST = "../approvals/src/verifier.test.ts";
const BAND = "src/booking/trading/price_band.sql";
const BAND_TEST = "src/booking/trading/price_band.pg.test.ts";

export const SIGNATURE_MUTATIONS: readonly Mutation[] = [
  {
    name: "signatures: a key of another login counts",
    file: OPERATOR_KEY,
    from: ACTIVE_KEY,
    to: "where k.fingerprint = found_key and k.ended_at is null for share;",
    tests: [OPERATOR_KEY_TEST],
    short: true,
  },
  {
    name: "signatures: a key counts after its end",
    file: OPERATOR_KEY,
    from: ACTIVE_KEY,
    to: "where k.login = login and k.fingerprint = found_key for share;",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: one person with a key can remain",
    file: OPERATOR_KEY,
    from: "(where k.fingerprint <> fingerprint) < 2\n",
    to: "(where k.fingerprint <> fingerprint) < 1\n",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: a key of a login without the role keys counts among the keys that must remain",
    file: OPERATOR_KEY,
    from: "where k.ended_at is null and 'keys' = any (o.roles))",
    to: "where k.ended_at is null)",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: the key of a removed login stays active",
    file: "src/database/operator_login.sql",
    from: "from operator_key k where k.login = name and k.ended_at is null;",
    to: "from operator_key k where false;",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: the migration login can register first keys again",
    file: OPERATOR_KEY,
    from: "  if exists (select from operator_key) then\n",
    to: "  if false then\n",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: approvals need none",
    file: PROPOSE,
    from: "  if not signatures_demanded() then",
    to: "  if true then",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: production approves without any operator key",
    file: PROPOSE,
    from: "    if (select d.environment = 'production' from deployment d) then",
    to: "    if false then",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: a proposal counts without the proposer's signature",
    file: PROPOSE,
    from: "elsif (given).proposer_signature is null then",
    to: "elsif false then",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: an approval counts without a signature",
    file: PROPOSE,
    from: "elsif signature is null then",
    to: "elsif false then",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: one key counts for both people",
    file: PROPOSE,
    from: "if require_operator_key((given).proposer, (given).proposer_signature) = signed ->> 'key' then",
    to: "if require_operator_key((given).proposer, (given).proposer_signature) is null then",
    tests: [OPERATOR_KEY_TEST],
    short: true,
  },
  {
    name: "signatures: the key of one login can be registered for another",
    file: OPERATOR_KEY,
    from: "from operator_key k where k.fingerprint = admitted;",
    to: "from operator_key k where k.fingerprint = admitted and k.login = login;",
    tests: [OPERATOR_KEY_TEST],
  },
  {
    name: "signatures: production starts with OPERATOR_KEYS=off after the adoption",
    file: "src/admission/registry/operator_keys.ts",
    from: 'if (!malformedRows.some(({ code }) => code === "unsigned"))',
    to: "if (malformedRows.length < 0)",
    tests: ["src/admission/registry/operator_keys.pg.test.ts"],
  },
  {
    name: "signatures: every operator reads the content of every proposal",
    file: "src/database/views.sql",
    from: "case when own.may_read then p.content end as content",
    to: "p.content",
    tests: ["../operator/src/commands/operator_roles.pg.test.ts"],
  },
  {
    name: "verifier: a key can be admitted for a second login",
    file: VERIFIER,
    from: "if (this.#keys.some((one) => one.key.fingerprint === key.fingerprint)) {",
    to: "if (this.#keys.some((one) => one.login === login)) {",
    tests: [VERIFIER_TEST],
  },
  {
    name: "verifier: a key counts before its admission",
    file: VERIFIER,
    from: "fromMs <= atMs &&",
    to: "fromMs < Infinity &&",
    tests: [VERIFIER_TEST],
  },
  {
    name: "verifier: a key counts after its end",
    file: VERIFIER,
    from: "atMs <= (this.#ends.get(fingerprint) ?? Infinity)",
    to: "atMs < Infinity",
    tests: [VERIFIER_TEST],
  },
  {
    name: "verifier: an approval can be moved beyond the proposal's end",
    file: VERIFIER,
    from: "atMs < Date.parse(expiresAt))) {",
    to: "atMs < Infinity)) {",
    tests: [VERIFIER_TEST],
  },
  {
    name: "band: a fall of the price is not bounded",
    file: BAND,
    from: "if abs((given).mid - earlier.mid) * 10000 >",
    to: "if ((given).mid - earlier.mid) * 10000 >",
    tests: [BAND_TEST],
    short: true,
  },
  {
    name: "band: only the step is bounded, not the hour",
    file: BAND,
    from: "    exit when earlier.stored_at <= (given).stored_at - interval '1 hour';\n",
    to: "    exit;\n",
    tests: [BAND_TEST],
  },
  {
    name: "band: one person can widen it",
    file: BAND,
    from: "    where p.band_basis_points < coalesce(set_band.basis_points, 10001)",
    to: "    where false",
    tests: ["src/database/proposals/gates.pg.test.ts"],
  },
];
