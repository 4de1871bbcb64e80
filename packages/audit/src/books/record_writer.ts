// The members of a record as JSON, in the audit's own spelling of each form. The database writes them with
// the functions of record_members.sql; both follow the same table of members, and vectors/records.json has the
// text that both must write.
import type { Member, Members } from "@gold-partner/protocol";
import type { Row } from "../snapshot.ts";
import { gramsText, instantText, maskIban, priceText, sarText } from "../values.ts";

/** The columns that the members name. */
export const columnsOf = (members: Members): string =>
  [...new Set(Object.values(members).map(({ column }) => column))].filter(Boolean).join(" ");

type Writer = (row: Row, texts?: Readonly<Record<string, string>>) => string;

/**
 * Returns a function that writes the members of a row. `texts` has the members of the form `argument`. The
 * members are looked up once, because an audit writes millions of rows.
 */
export function writerOf(members: Members): Writer {
  const all = Object.entries(members).map(([name, member]) => ({
    name,
    member,
    isOptional: member.reply.isOptional(),
  }));
  return (row, texts = {}) => {
    let text = "";
    for (const { name, member, isOptional } of all) {
      const { form, column } = member;
      const value = form === "constant" ? member.value : form === "argument" ? texts[name] : row[column!];
      if (value === null && isOptional) continue;
      text += `${text && ","}"${name}":${value === null ? "null" : write(member, value)}`;
    }
    return text;
  };
}

function write({ form, prefix }: Member, value: Row[string]): string {
  switch (form) {
    case "id":
      return `"${prefix}${value}"`;
    case "constant":
    case "argument":
    case "side":
      return `"${value}"`;
    case "text":
      return JSON.stringify(value);
    case "iban":
      return `"${maskIban(value)}"`;
    case "instant":
      return `"${instantText(value)}"`;
    case "sar":
      return sarText(value);
    case "grams":
      return gramsText(value);
    case "price":
      return priceText(value);
  }
}
