import {
  FUNDING,
  fundingReply,
  type Member,
  type Members,
  ORDER,
  orderReply,
  POSTING_TEXTS,
  QUOTE,
  quoteReply,
  textsOf,
  WITHDRAWAL,
  withdrawalReply,
} from "@gold-partner/protocol";

type Schema = { readonly description?: string | undefined };
const RECORDS: Readonly<Record<string, readonly [members: Members, schema: Schema]>> = {
  Quote: [QUOTE, quoteReply],
  Order: [ORDER, orderReply],
  Withdrawal: [WITHDRAWAL, withdrawalReply],
  Funding: [FUNDING, fundingReply],
};
const LINE_MAX = 108;

const HEAD = `"""Written by \`npm run docs\` from the members of the records that the service uses.

Quantities are Decimal, instants are texts such as 2026-01-31T09:30:00.000Z.
"""

# Without \`from __future__ import annotations\`, which would hide NotRequired from __required_keys__.

from decimal import Decimal
from typing import Literal, NotRequired, TypedDict

Side = Literal["buy", "sell"]
`;

/** Returns the text of the Python client's module with the types of records and of the texts of requests. */
export function writePythonRecords(): string {
  const classes = Object.entries(RECORDS).flatMap(([name, [members, { description }]]) => {
    const lines = Object.entries(members).flatMap(([member, each]) => [
      ...comment(described(each)),
      `${member}: ${typeOf(each)}`,
    ]);
    const texts = Object.keys(textsOf(members));
    return [
      declare(name, "TypedDict", [`"""${description}"""`, "", ...lines]),
      ...texts.length === 0 ? [] : [declare(
        `${name}Texts`,
        "TypedDict, total=False",
        [`"""The texts that a request may give."""`, "", ...texts.map((member) => `${member}: str | None`)],
      )],
    ];
  });
  const posting = Object.entries<Member>(POSTING_TEXTS).flatMap(([member, each]) => [
    ...comment(described(each)),
    `${member}: ${typeOf(each)}`,
  ]);
  const texts = declare("PostingTexts", "TypedDict", [
    '"""The texts of the order or withdrawal that caused a posting."""',
    "",
    ...posting,
  ]);
  return [HEAD, ...classes, texts].join("\n\n");
}

const declare = (name: string, base: string, lines: readonly string[]): string =>
  `class ${name}(${base}):\n${lines.map((line) => line && `    ${line}`).join("\n")}\n`;

function typeOf({ form, reply }: Member): string {
  const type = form === "sar" || form === "grams" || form === "price"
    ? "Decimal"
    : form === "side"
    ? "Side"
    : "str";
  return reply.isOptional() ? `NotRequired[${type}]` : reply.isNullable() ? `${type} | None` : type;
}

const described = ({ reply }: Member): string =>
  ("unwrap" in reply ? (reply.unwrap as () => typeof reply)() : reply).description ?? reply.description ?? "";

/** A comment, wrapped. */
function comment(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    if (lines.length === 0 || lines.at(-1)!.length + word.length > LINE_MAX - 6) lines.push("#:");
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines;
}
