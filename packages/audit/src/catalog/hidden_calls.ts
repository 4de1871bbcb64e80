// Postgres prints a stored expression without the functions of its implicit casts, and names an operator without
// the function that it calls. A superuser who edits the stored tree can hide a call there.
import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { FIRST_NORMAL_OID } from "./builtin.ts";

/** The trees that initdb did not write. compareBuiltin() compares the others. */
const TREES = `
  select 'function ' || oid::regprocedure::text as name, concat(prosqlbody, proargdefaults) as tree from pg_proc
  where oid >= ${FIRST_NORMAL_OID}
  union all select 'rule of ' || ev_class::regclass::text, concat(ev_qual, ev_action) from pg_rewrite
  where oid >= ${FIRST_NORMAL_OID}
  union all select 'constraint ' || conname || ' of ' || conrelid::regclass::text, conbin::text from pg_constraint
  union all select 'default of ' || adrelid::regclass::text, adbin::text from pg_attrdef
  union all select 'trigger ' || tgname || ' of ' || tgrelid::regclass::text, tgqual::text from pg_trigger
  union all select 'index ' || indexrelid::regclass::text, concat(indexprs, indpred) from pg_index
  union all select 'partitions of ' || partrelid::regclass::text, partexprs::text from pg_partitioned_table`;
const CASTS = "select castfunc::oid as oid from pg_cast";
const OPERATORS = "select oid, oprcode::oid as code from pg_operator";
export const TREE_STATEMENTS: readonly string[] = [TREES, CASTS, OPERATORS];

/** 1: written as a cast; 2: an implicit cast. Any other form is printed with the function's name. */
const CAST = /\{FUNCEXPR :funcid (\d+) [^{}]*?:funcformat [12] /g;
const OPERATOR = /:opno (\d+) :opfuncid (\d+) /g;

export async function findHiddenCalls(sql: Connection, findings: Findings): Promise<void> {
  const [trees, casts, operators] = await Promise.all(
    TREE_STATEMENTS.map((statement): PromiseLike<readonly Row[]> => sql.unsafe(statement)),
  ) as [readonly Row[], readonly Row[], readonly Row[]];
  const castBy = new Set(casts.map(({ oid }) => `${oid}`));
  const codeOf = new Map(operators.map(({ oid, code }) => [`${oid}`, `${code}`]));
  for (const { name, tree } of trees) {
    const hidden = [
      ...[...`${tree}`.matchAll(CAST)].filter(([, id]) => !castBy.has(id!)).map(([, id]) => id!),
      ...[...`${tree}`.matchAll(OPERATOR)].filter(([, id, code]) => code !== "0" && codeOf.get(id!) !== code)
        .map(([, , code]) => code!),
    ];
    for (const id of new Set(hidden)) {
      findings.add(
        "catalog_is_release",
        name,
        "only calls that Postgres prints",
        `a call of the function ${id}`,
      );
    }
  }
}
