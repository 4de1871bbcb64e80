import type { Mutation } from "./mutation.ts";

const OPERATOR_KEY = "src/database/proposals/operator_key.sql";
const OPERATOR_KEY_TEST = "src/database/proposals/operator_key.pg.test.ts";
const ACTIVE_KEY = "where k.login = login and k.fingerprint = found_key and k.ended_at is null for share;";
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
    from: "and k.fingerprint <> fingerprint) < 2 then",
    to: "and k.fingerprint <> fingerprint) < 1 then",
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
    file: "src/database/proposals/propose.sql",
    from: "  if not signatures_demanded() then",
    to: "  if true then",
    tests: [OPERATOR_KEY_TEST],
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
