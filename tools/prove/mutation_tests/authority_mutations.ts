import type { Mutation } from "./mutation.ts";

const CHANGE_AUTHORITY = "src/admission/registry/change_authority.sql";
const CHANGE_SERVICE_KEY = "src/admission/registry/change_service_key.sql";
const CHANGE_AUTHORITY_TEST = "src/admission/registry/change_authority.pg.test.ts";

export const AUTHORITY_MUTATIONS: readonly Mutation[] = [
  {
    name: "authority: a revocation list is stored even if its number does not follow the stored number",
    file: CHANGE_AUTHORITY,
    from: " and a.revocation_number = number - 1 and a.retired_at is null;",
    to: " and a.retired_at is null;",
    tests: [CHANGE_AUTHORITY_TEST],
    short: true,
  },
  {
    name: "authority: a certificate of a replaced CA can be registered",
    file: CHANGE_AUTHORITY,
    from: "  if add_certificate.authority <> newest then",
    to: "  if false then",
    tests: [CHANGE_AUTHORITY_TEST],
  },
  {
    name: "authority: the newest CA can be retired",
    file: CHANGE_AUTHORITY,
    from: "  elsif subject.fingerprint = newest then",
    to: "  elsif false then",
    tests: [CHANGE_AUTHORITY_TEST],
  },
  {
    name: "authority: two certificates for one key are accepted",
    file: CHANGE_AUTHORITY,
    from: "where c.key_hash = add_certificate.key_hash;",
    to: "where false;",
    tests: [CHANGE_AUTHORITY_TEST],
  },
  {
    name: "token keys: of two concurrent rotations, the second does not retire the key of the first",
    file: CHANGE_SERVICE_KEY,
    from: "  perform from deployment for no key update;\n  begins_at",
    to: "  begins_at",
    tests: [CHANGE_AUTHORITY_TEST],
  },
];
