import type { Defect } from "./defect.ts";

const CHANGE_REGISTRY = "src/admission/registry/change_registry.sql";
const IBAN_TEST = "src/admission/registry/change_iban.pg.test.ts";
const SET_PARTNER_TEST = "src/admission/registry/set_partner.pg.test.ts";

export const IBAN_DEFECTS: readonly Defect[] = [
  {
    name: "iban: one person asks and approves",
    file: CHANGE_REGISTRY,
    from: "elsif subject.pending_iban_by = session_user then",
    to: "elsif false then",
    tests: [IBAN_TEST],
    short: true,
  },
  {
    name: "iban: approved as it was not seen",
    file: CHANGE_REGISTRY,
    from: "elsif subject.pending_iban is distinct from seen then",
    to: "elsif false then",
    tests: [IBAN_TEST],
  },
  {
    name: "iban: not read again under the lock",
    file: CHANGE_REGISTRY,
    from: "  subject := partner_of(public);\n  if subject.pending_iban",
    to: "  if subject.pending_iban",
    tests: [IBAN_TEST],
  },
  {
    name: "iban: no hold",
    file: CHANGE_REGISTRY,
    from: "set iban = seen, iban_changed_at = clock_timestamp(),",
    to: "set iban = seen,",
    tests: [IBAN_TEST],
  },
  {
    name: "iban: services are not told of the approval",
    file: CHANGE_REGISTRY,
    from: "'asked_by', subject.pending_iban_by));\n  perform registry_changed();",
    to: "'asked_by', subject.pending_iban_by));",
    tests: [IBAN_TEST],
  },
  {
    name: "iban: services are not told of the asking",
    file: CHANGE_REGISTRY,
    from: "'iban', ask_iban.iban));\n  perform registry_changed();",
    to: "'iban', ask_iban.iban));",
    tests: [IBAN_TEST],
  },
  {
    name: "partner: a rate above a quarter of the flood",
    file: CHANGE_REGISTRY,
    from: "  perform check_rate(set_partner.rate_per_second);\n",
    to: "",
    tests: [SET_PARTNER_TEST],
  },
  {
    name: "partner: the old addresses stay",
    file: CHANGE_REGISTRY,
    from: "    delete from allowed_ip i where i.partner_id = subject.id;\n",
    to: "    delete from allowed_ip i where false;\n",
    tests: [SET_PARTNER_TEST],
  },
];
