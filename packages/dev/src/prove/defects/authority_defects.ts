import type { Defect } from "./defect.ts";

const CHANGE_AUTHORITY = "src/admission/registry/change_authority.sql";
const CHANGE_HOUSE_KEY = "src/admission/registry/change_house_key.sql";
const CHANGE_AUTHORITY_TEST = "src/admission/registry/change_authority.pg.test.ts";

export const AUTHORITY_DEFECTS: readonly Defect[] = [
  {
    name: "authority: a list is stored on top of any other",
    file: CHANGE_AUTHORITY,
    from: " and a.revocation_number = number - 1 and a.retired_at is null;",
    to: " and a.retired_at is null;",
    tests: [CHANGE_AUTHORITY_TEST],
    short: true,
  },
  {
    name: "authority: what a replaced one signed is registered",
    file: CHANGE_AUTHORITY,
    from: "  if add_certificate.authority <> newest then",
    to: "  if false then",
    tests: [CHANGE_AUTHORITY_TEST],
  },
  {
    name: "authority: the newest one is retired",
    file: CHANGE_AUTHORITY,
    from: "  elsif subject.fingerprint = newest then",
    to: "  elsif false then",
    tests: [CHANGE_AUTHORITY_TEST],
  },
  {
    name: "authority: a key is certified twice",
    file: CHANGE_AUTHORITY,
    from: "where c.key_hash = add_certificate.key_hash;",
    to: "where false;",
    tests: [CHANGE_AUTHORITY_TEST],
  },
  {
    name: "token keys: of two rotations at once both new keys stay",
    file: CHANGE_HOUSE_KEY,
    from: "  perform from deployment for no key update;\n  begins_at",
    to: "  begins_at",
    tests: [CHANGE_AUTHORITY_TEST],
  },
];
