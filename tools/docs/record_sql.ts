import {
  FUNDING,
  type Member,
  type Members,
  ORDER,
  PARTNER_TEXT_MAX_CHARACTERS,
  QUOTE,
  textsOf,
  UNPRINTABLE,
  WITHDRAWAL,
} from "@gold-partner/protocol";

const RECORDS: Readonly<Record<string, readonly [table: string, members: Members]>> = {
  quote_members: ["quote", QUOTE],
  order_members: ["orders", ORDER],
  funding_members: ["funding", FUNDING],
  withdrawal_members: ["withdrawal", WITHDRAWAL],
};

/**
 * Returns the text of packages/server/src/reads/record_members.sql: for each kind of record, the function that
 * writes its members as JSON. Then a check of the form of each text that a partner may give a record.
 */
export function writeRecordSql(): string {
  return [
    "-- Written by npm run docs from the members of the records (packages/protocol/src/schema). Do not edit.\n" +
    "--\n-- The functions are stable, because to_json is stable. If they were immutable, Postgres would not inline\n" +
    "-- them into the statements that book orders.\n",
    ...Object.entries(RECORDS).map(([name, [table, members]]) => {
      const extra = Object.entries(members).filter(([, { form }]) => form === "argument");
      const parameters = [`given gold.${table}`, ...extra.map(([member]) => `${member} text`)].join(", ");
      return `create or replace function gold.${name}(${parameters}) returns text
language sql stable
return ${join(Object.entries(members).flatMap(([member, each], at) => partsOf(member, each, at === 0)))};
`;
    }),
    writeTextChecks(),
  ].join("\n");
}

/**
 * A new check is NOT VALID, because a migration must not read a whole table while it has the table's lock.
 * A text in Postgres cannot contain U+0000, so the unprintable characters begin at U+0001 here.
 */
function writeTextChecks(): string {
  const columns = Object.values(RECORDS).flatMap(([table, members]) =>
    Object.values<Member>(textsOf(members))
      // The reference of a withdrawal has a form of its own, and is never absent.
      .filter(({ reply }) => reply.isOptional())
      .map(({ column }) => `('${table}', '${column}')`)
  );
  return `do $$
declare
  item record;
begin
  for item in values
    ${columns.join(",\n    ")}
  loop
    continue when exists (
      select from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
      where c.conrelid = ('gold.' || item.column1)::regclass and c.contype = 'c' and a.attname = item.column2);
    execute format('alter table gold.%1$I add constraint %2$I check (char_length(%3$I) between 1 and ${PARTNER_TEXT_MAX_CHARACTERS}
      and %3$I !~ %4$L) not valid', item.column1, item.column1 || '_' || item.column2, item.column2,
      '^ | $|[${UNPRINTABLE.replace("0000", "0001")}]');
  end loop;
end $$;
`;
}

/** A literal in quotes, or an expression. */
type Part = { readonly literal: string } | { readonly expression: string };

function partsOf(
  name: string,
  { form, prefix, value: constant, column, reply }: Member,
  isFirst: boolean,
): Part[] {
  const label = `${isFirst ? "" : ","}"${name}":`;
  const value = `(given).${column}`;
  const isOptional = reply.isOptional();
  if ((isOptional || reply.isNullable()) && form !== "text" && !(form === "id" && isOptional)) {
    throw new Error(`${name}: the form ${form} has no spelling of null.`);
  }
  if (isOptional) {
    const text = form === "id"
      ? `'${label}"${prefix}' || ${value} || '"'`
      : `'${label}' || to_json(${value})::text`;
    return [{ expression: `coalesce(${text}, '')` }];
  }
  const quoted = (expression: string, before = "") => [
    { literal: `${label}"${before}` },
    { expression },
    { literal: '"' },
  ];
  const plain = (expression: string) => [{ literal: label }, { expression }];
  switch (form) {
    case "id":
      return quoted(value, prefix);
    case "constant":
      return [{ literal: `${label}"${constant}"` }];
    case "argument":
      return quoted(name);
    case "side":
      return quoted(value);
    case "instant":
      return quoted(`gold.instant_text(${value})`);
    case "iban":
      return quoted(`gold.mask_iban(${value})`);
    case "text":
      return plain(
        reply.isNullable() ? `coalesce(to_json(${value})::text, 'null')` : `to_json(${value})::text`,
      );
    case "sar":
      return plain(`gold.decimal_text(${value}, 0.01)`);
    case "grams":
    case "price":
      return plain(`gold.decimal_text(${value}, 0.0001)`);
  }
}

/** Joins neighbouring literals, because each operator costs time at every order. One expression for each line. */
function join(parts: readonly Part[]): string {
  let sql = "";
  let literal = "";
  for (const part of parts) {
    if ("literal" in part) {
      literal += part.literal;
      continue;
    }
    sql += `${sql && "\n  || "}${literal && `'${literal}' || `}${part.expression}`;
    literal = "";
  }
  return literal ? `${sql} || '${literal}'` : sql;
}
