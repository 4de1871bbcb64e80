import type { Mutation } from "./mutation.ts";

const AUDIT = "src/database/audit.sql";
const AUDIT_TEST = "src/database/audit.pg.test.ts";
const UPGRADE_TEST = "src/database/upgrade.pg.test.ts";

export const AUDIT_MUTATIONS: readonly Mutation[] = [
  {
    name: "audit: a link's hash does not include the previous hash",
    file: AUDIT,
    from: "tail.head := sha256(tail.head || convert_to(",
    to: "tail.head := sha256(convert_to(",
    tests: [AUDIT_TEST],
    short: true,
  },
  {
    name: "audit: the hashed line omits the login",
    file: AUDIT,
    from: "(entry).login, ",
    to: "",
    tests: [AUDIT_TEST],
  },
  {
    name: "audit: the hashed line does not separate its fields unambiguously",
    file: AUDIT,
    from:
      "return json_build_array(1, (entry).id, (extract(epoch from (entry).at) * 1000)::bigint, (entry).login, (entry).action, (entry).subject, (entry).detail)::text",
    to:
      "return concat_ws('|', 1, (entry).id, (extract(epoch from (entry).at) * 1000)::bigint, (entry).login, (entry).action, (entry).subject, (entry).detail)",
    tests: [AUDIT_TEST],
  },
  {
    name: "audit: verification misses a deleted tail, and a tail with a wrong number",
    file: AUDIT,
    from: "if (tail.id, tail.head) is distinct from (sealed, head) then",
    to: "if tail.head is distinct from head and tail.id is not null then",
    tests: [AUDIT_TEST],
  },
  {
    name: "audit: verification does not report a deleted row as deleted",
    file: AUDIT,
    from: "if not link.noted or link.hash is distinct from head then",
    to: "if link.noted and link.hash is distinct from head then",
    tests: [AUDIT_TEST],
  },
  {
    name: "audit: the row gets its number before the tail is locked",
    file: AUDIT,
    from: "  perform from audit_tail for no key update;\n",
    to: "",
    tests: [AUDIT_TEST],
  },
  {
    name: "audit: rows from before the upgrade are not sealed",
    file: AUDIT,
    from: "    perform gold.seal_audit();\n",
    to: "",
    tests: [UPGRADE_TEST],
  },
  {
    name: "audit: verification misses a changed batch document",
    file: AUDIT,
    from:
      "where encode(sha256(convert_to(b.document, 'UTF8')), 'hex') is distinct from n.detail->>'document_sha256'",
    to: "where b.id is null or n.id is null",
    tests: [AUDIT_TEST],
    short: true,
  },
  {
    name: "audit: verification misses a deleted batch",
    file: AUDIT,
    from: "from payment_batch b full join",
    to: "from payment_batch b left join",
    tests: [AUDIT_TEST],
  },
  {
    name: "audit: the first sealing does not wait for concurrent writers",
    file: AUDIT,
    from: "    lock table gold.audit in share row exclusive mode;\n",
    to: "",
    tests: [AUDIT_TEST],
  },
];
