import { type Change, CHANGES, functionsOf, ROW_READERS } from "@gold-partner/approvals";

const KINDS = Object.entries<Change>(CHANGES);
const LINE_MAX = 80;

/** Returns the text of packages/server/src/database/proposals/kinds.sql: what the table of changes says. */
export const writeChangeSql = (): string =>
  `-- Written by npm run docs from packages/approvals/src/changes.ts. Do not edit.

-- The role that the person who proposes a change and the person who approves it both need.
${cases("role_of_kind(kind text) returns text", KINDS.map(([kind, { role }]) => [kind, `'${role}'`]))}

-- The members that the content of each kind of proposal may have. A member that no function reads would be in
-- the approved text but change nothing, so people would believe that they approved more than they did.
${
    cases(
      "proposal_members(kind text) returns text[]",
      KINDS.map(([kind, { members }]) => [kind, `'{${wrap(members, ",", "    ")}}'`]),
      "::text[]",
    )
  }

-- The functions that make the changes, by the role that may call them (privileges.sql).
create or replace function gold.functions_of_changes() returns table (role text, functions text)
language sql immutable
begin atomic
  values
${roles().map(([role, functions]) => `    ('${role}', '${wrap(functions, " ", "      ")}')`).join(",\n")};
end;

-- Whether every member may be absent or null, and the setting then stays the same.
${isOneOf("is_partial", KINDS.filter(([, { isPartial }]) => isPartial))}

-- Whether only the migration login may make the change without a proposal.
${isOneOf("is_owners", KINDS.filter(([, { isOwners }]) => isOwners))}

-- The name of what a proposal replaces. Null if its change only adds something, or if the change states the
-- value before it.
${
    cases(
      "replaced_by(kind text, content jsonb) returns text",
      KINDS.flatMap(([kind, { replaces }]) =>
        replaces ? [[kind, replaces === "partner" ? "kind || ' ' || (content ->> 'client_id')" : "kind"]] : []
      ),
    )
  }

-- The kinds whose approvals name rows, by what uses these rows only if two people signed for them.
${
    cases(
      "kinds_signing(reader text) returns text[]",
      ROW_READERS.map((reader) => {
        const kinds = KINDS.filter(([, { signs }]) => signs?.readers.includes(reader)).map(([kind]) => kind);
        return [reader, `'{${wrap(kinds, ",", "    ")}}'`];
      }),
      "::text[]",
    )
  }

-- How long a proposal may wait for its approval at most. Null: the kind has no limit of its own.
${
    cases(
      "longest_life(kind text, content jsonb) returns interval",
      KINDS.flatMap(([kind, { expires }]) =>
        expires
          ? [[kind, `case when content ? '${expires.with}' then interval '${expires.minutes} minutes' end`]]
          : []
      ),
    )
  }
`;

/** Each role with the names of the functions that it may call. */
function roles(): [string, string[]][] {
  const names = new Map<string, Set<string>>();
  for (const change of Object.values<Change>(CHANGES)) {
    names.set(change.role, new Set([...names.get(change.role) ?? [], ...functionsOf(change)]));
  }
  return [...names].map(([role, functions]) => [role, [...functions]]);
}

/** Joins the names, in lines of at most about LINE_MAX characters. Postgres ignores the space that this adds. */
function wrap(names: readonly string[], separator: string, indent: string): string {
  let text = "";
  let length = 0;
  for (const name of names) {
    const isFull = length + name.length > LINE_MAX;
    text += `${text && (isFull ? `${separator.trimEnd()}\n${indent}` : separator)}${name}`;
    length = (isFull ? 0 : length) + name.length + 1;
  }
  return text;
}

const cases = (head: string, rows: readonly (readonly string[])[], cast = ""): string =>
  `create or replace function gold.${head}
language sql immutable
return case ${/\w+(?= )/.exec(head.slice(head.indexOf("(")))![0]}
${rows.map(([kind, value]) => `  when '${kind}' then ${value}`).join("\n")}
end${cast};`;

const isOneOf = (name: string, kinds: typeof KINDS): string =>
  `create or replace function gold.${name}(kind text) returns boolean
language sql immutable
return kind in (${wrap(kinds.map(([kind]) => `'${kind}'`), ", ", "  ")});`;

/** Returns the text of packages/server/src/database/proposals/apply_change.sql. */
export const writeApplyChange = (): string =>
  `-- Written by npm run docs from packages/approvals/src/changes.ts. Do not edit.

-- Makes a change: that of an approved proposal, or one person's (change_alone.sql). Each member of the content
-- has the name and the form that require_approval() compares; a quantity is a text with a number of minor
-- units. Only the migration login can create and remove logins. So the approval of a new or removed operator
-- changes nothing yet; see require_approved_operator().
create or replace function gold.apply_change(kind text, content jsonb) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  client text := content ->> 'client_id';
  mid bigint;
  spread int;
begin
  perform refuse_unknown_members(kind, content);
  perform require_answer(kind, content);
  perform refuse_no_change(kind, content);
  case kind
${KINDS.map(([kind, { makes }]) => `    when '${kind}' then\n      ${makes.trim()}`).join("\n")}
  end case;
end $$;
`;
