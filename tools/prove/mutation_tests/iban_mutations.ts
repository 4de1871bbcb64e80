import type { Mutation } from "./mutation.ts";

const CHANGE_REGISTRY = "src/admission/registry/change_registry.sql";
const IBAN_TEST = "src/admission/registry/change_iban.pg.test.ts";
const SET_PARTNER_TEST = "src/admission/registry/set_partner.pg.test.ts";

export const IBAN_MUTATIONS: readonly Mutation[] = [
  {
    name: "iban: one operator can request and approve a change",
    file: CHANGE_REGISTRY,
    from: "elsif subject.pending_iban_by = session_user then",
    to: "elsif false then",
    tests: [IBAN_TEST],
    short: true,
  },
  {
    name: "iban: an approval ignores which IBAN the operator saw",
    file: CHANGE_REGISTRY,
    from: "elsif subject.pending_iban is distinct from seen then",
    to: "elsif false then",
    tests: [IBAN_TEST],
  },
  {
    name: "iban: the partner is not read again under the lock",
    file: CHANGE_REGISTRY,
    from: "  subject := partner_of(public);\n  if subject.pending_iban",
    to: "  if subject.pending_iban",
    tests: [IBAN_TEST],
  },
  {
    name: "iban: a change starts no hold period",
    file: CHANGE_REGISTRY,
    from: "set iban = register_iban.iban, iban_changed_at = clock_timestamp(),",
    to: "set iban = register_iban.iban,",
    tests: [IBAN_TEST],
  },
  {
    name: "iban: services are not notified of an approval",
    file: CHANGE_REGISTRY,
    from: "iban => register_iban.iban);\n  perform registry_changed();",
    to: "iban => register_iban.iban);",
    tests: [IBAN_TEST],
  },
  {
    name: "iban: services are not notified of a request",
    file: CHANGE_REGISTRY,
    from: "'iban', ask_iban.iban));\n  perform registry_changed();",
    to: "'iban', ask_iban.iban));",
    tests: [IBAN_TEST],
  },
  {
    name: "partner: a rate above a quarter of the flood limit is accepted",
    file: CHANGE_REGISTRY,
    from: "  perform check_rate(set_partner.rate_per_second);\n",
    to: "",
    tests: [SET_PARTNER_TEST],
  },
  {
    name: "partner: the old IP addresses stay allowed",
    file: CHANGE_REGISTRY,
    from: "    delete from allowed_ip i where i.partner_id = subject.id;\n",
    to: "    delete from allowed_ip i where false;\n",
    tests: [SET_PARTNER_TEST],
  },
];
