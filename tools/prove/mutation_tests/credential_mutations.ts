import type { Mutation } from "./mutation.ts";

const CHANGE_CREDENTIALS = "src/admission/registry/change_credentials.sql";
const POST_CHANGE = "src/admission/registry/post_change.sql";
const POST_CHANGE_TEST = "src/admission/registry/post_change.pg.test.ts";
const VERIFY_SIGNATURE = "src/admission/signature/verify_signature.ts";
const CHANGE_CREDENTIALS_TEST = "src/admission/registry/change_credentials.pg.test.ts";
const CREDENTIAL_ROTATION_TEST = "src/admission/registry/credential_rotation.pg.test.ts";
const ROTATION_TEST = "src/rotation.pg.test.ts";

export const CREDENTIAL_MUTATIONS: readonly Mutation[] = [
  {
    name: "credentials: writes that a retired key signed still commit",
    file: CHANGE_CREDENTIALS,
    from: "  perform end_admission(subject.id);\n  perform hold_partner(public);\n  select k.* into key",
    to: "  perform hold_partner(public);\n  select k.* into key",
    tests: [ROTATION_TEST],
    short: true,
  },
  {
    name: "credentials: a rotation without overlap does not raise the admission version",
    file: CHANGE_CREDENTIALS,
    from: "    perform end_admission((partner_of(public)).id);\n",
    to: "    null;\n",
    tests: [CREDENTIAL_ROTATION_TEST],
  },
  {
    name: "credentials: the write uses an admission version that was read after the checks",
    file: VERIFY_SIGNATURE,
    from: "      return await verifyBy(current);",
    to: "      partner = current;\n      return await verifyBy(current);",
    tests: [ROTATION_TEST],
    short: true,
  },
  {
    name: "credentials: a new key works only after the next poll",
    file: VERIFY_SIGNATURE,
    from: "      if (current === partner) throw error;",
    to: "      throw error;",
    tests: [ROTATION_TEST],
  },
  {
    name: "credentials: a new secret works only after the next poll",
    file: "src/routes/token_route.ts",
    from: " ?? judge(await registry.refresh())",
    to: "",
    tests: ["src/routes/token_route.test.ts"],
  },
  {
    name: "credentials: two concurrent changes for one partner do not wait for each other",
    file: "src/admission/registry/post_change.sql",
    from: "  perform lock_accounts(array[client], true);\n",
    to: "",
    tests: ["src/admission/registry/post_change.pg.test.ts", CHANGE_CREDENTIALS_TEST],
  },
  {
    name: "credentials: the last credential can be retired",
    file: CHANGE_CREDENTIALS,
    from: "  elsif heirs = 0 then",
    to: "  elsif heirs < 0 then",
    tests: [CHANGE_CREDENTIALS_TEST],
  },
  {
    name: "credentials: a credential that the operator saw as never used can be retired after its first use",
    file: CHANGE_CREDENTIALS,
    from: "coalesce(seen, '-infinity') <= in_use_since",
    to: "seen <= in_use_since",
    tests: [CHANGE_CREDENTIALS_TEST],
  },
  {
    name: "credentials: two partners can share a key",
    file: CHANGE_CREDENTIALS,
    from: "  perform refuse_shared_key(subject.id, add_signing_key.thumbprint);\n",
    to: "",
    tests: [CREDENTIAL_ROTATION_TEST],
  },
  {
    name: "credentials: a new signing key posts no event",
    file: CHANGE_CREDENTIALS,
    from:
      "  perform post_credential(subject.id, 'credential.added', 'signing_key', add_signing_key.thumbprint);\n",
    to: "",
    tests: [POST_CHANGE_TEST],
    short: true,
  },
  {
    name: "credentials: the first events of an earlier version's partner are posted again by each change",
    file: POST_CHANGE,
    from:
      "  if not exists (select from partner_change c where c.bucket = client % 64 and c.client_id = client) then\n",
    to: "  if true then\n",
    tests: [POST_CHANGE_TEST],
  },
  {
    name: "credentials: the hash chain omits the members of a change",
    file: "src/booking/outbox/seal_chain.sql",
    from: "case when gold.is_partner_change(e.type) then (",
    to: "case when false then (",
    tests: [POST_CHANGE_TEST],
  },
];
