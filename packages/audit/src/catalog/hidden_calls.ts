// Postgres prints a stored expression without the function of a cast, and some operators without their names. A
// superuser who edits the stored tree can hide a call there. The hash of the printed text then stays the same.
import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { FIRST_NORMAL_OID } from "./builtin.ts";

/** Stored trees. compareBuiltin() compares the functions and rules that initdb made. */
const TREES = `
  select 'function ' || oid::regprocedure::text as name, concat(prosqlbody, proargdefaults) as tree
  from pg_proc where oid >= ${FIRST_NORMAL_OID}
  union all select 'rule of ' || ev_class::regclass::text, concat(ev_qual, ev_action)
  from pg_rewrite where oid >= ${FIRST_NORMAL_OID}
  union all select 'constraint ' || conname || ' of ' || conrelid::regclass::text, conbin::text from pg_constraint
  union all select 'default of ' || adrelid::regclass::text, adbin::text from pg_attrdef
  union all select 'trigger ' || tgname || ' of ' || tgrelid::regclass::text, tgqual::text from pg_trigger
  union all select 'index ' || indexrelid::regclass::text, concat(indexprs, indpred) from pg_index
  union all select 'partitions of ' || partrelid::regclass::text, partexprs::text from pg_partitioned_table`;
const CASTS = "select castfunc::oid as oid, casttarget as target from pg_cast";
const OPERATORS = "select oid, oprcode::oid as code, oprname as name from pg_operator";
export const TREE_STATEMENTS: readonly string[] = [TREES, CASTS, OPERATORS];

/** Calls of functions. The form 1 is a written cast, and 2 is an implicit one. */
const FUNCTION = new RegExp(
  String.raw`\{FUNCEXPR :funcid (\d+) :funcresulttype (\d+) :funcretset (?:true|false)` +
    " :funcvariadic (?:true|false) :funcformat ([0-3]) ",
  "g",
);
const OPERATOR = /\{(?:OPEXPR|DISTINCTEXPR|NULLIFEXPR|SCALARARRAYOPEXPR) :opno (\d+) :opfuncid (\d+) /g;
/** Postgres also reads such a node with other white space and other names of its fields. */
const NODE = /\b(?:FUNCEXPR|OPEXPR|DISTINCTEXPR|NULLIFEXPR|SCALARARRAYOPEXPR)\b/g;
/** IS DISTINCT FROM, NULLIF, CASE with a value, and grouping. Postgres always stores `=` there. */
const UNNAMED = new RegExp(
  [
    String.raw`\{(?:DISTINCTEXPR|NULLIFEXPR) :opno (\d+) `,
    String.raw`\{CASEWHEN :expr \{OPEXPR :opno (\d+) [^{}]*:args \(\{` +
    String.raw`(?:RELABELTYPE :arg \{|COERCEVIAIO :arg \{|FUNCEXPR [^{}]*:args \(\{)*CASETESTEXPR `,
    String.raw`:eqop (\d+) `,
  ].join("|"),
  "g",
);
/** Postgres leaves these fields empty, and does not print them. */
const UNPRINTED = /:(?:securityQuals|withCheckOptions) (?!<>)|:(?:hashfuncid|negfuncid) (?!0 )/;

/** Reports a call that the printed text does not show. */
export async function findHiddenCalls(sql: Connection, findings: Findings): Promise<void> {
  const [trees, casts, operators] = await Promise.all(
    TREE_STATEMENTS.map((statement): PromiseLike<readonly Row[]> => sql.unsafe(statement)),
  ) as [readonly Row[], readonly Row[], readonly Row[]];
  const isCast = new Set(casts.map(({ oid, target }) => `${oid} ${target}`));
  const operatorOf = new Map(operators.map((row) => [`${row.oid}`, row]));
  for (const { name, tree } of trees) {
    const text = `${tree}`;
    const [calls, named] = [[...text.matchAll(FUNCTION)], [...text.matchAll(OPERATOR)]];
    const hidden = [
      ...calls.filter(([, id, type, form]) => /[12]/.test(form!) && !isCast.has(`${id} ${type}`)).map((
        [, id],
      ) => `the function ${id}`),
      ...named.filter(([, id, code]) => code !== "0" && `${operatorOf.get(id!)?.code}` !== code)
        .map(([, , code]) => `the function ${code}`),
      ...[...text.matchAll(UNNAMED)].map(([, ...ids]) => ids.find((id) => id !== undefined)!)
        .filter((id) => id !== "0" && operatorOf.get(id)?.name !== "=").map((id) => `the operator ${id}`),
      ...(calls.length + named.length === (text.match(NODE) ?? []).length ? [] : ["an unusual tree"]),
      ...(UNPRINTED.exec(text) ?? []).map((field) => `the field ${field}`),
    ];
    for (const found of new Set(hidden)) {
      findings.add("catalog_is_release", name, "only calls that Postgres prints", found);
    }
  }
}
