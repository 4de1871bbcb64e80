import {
  groupDigits,
  hasIsolates,
  isInstant,
  riyadhTime,
  shortId,
  splitIsolates,
} from "@gold-partner/command-line";
import { html } from "hono/html";
import type { Cell, Result, Row } from "../command.ts";
import { printable } from "@gold-partner/server";
import { isolateQuoted, isQuantity } from "../output.ts";
import { actionOf } from "./actions.ts";
import { labelOf, TEXT } from "./texts.ts";

export type Html = ReturnType<typeof html>;
type Value = Cell | readonly Cell[];

/** The address of each kind of record, by the prefix of its ids. */
const ADDRESSES: readonly (readonly [RegExp, string])[] = [
  [/^(?:ord|qt)_[0-9a-f-]{36}$/, "./order/"],
  [/^wd_[0-9a-f-]{36}$/, "./withdrawal/"],
  [/^dep_[0-9a-f-]{36}$/, "./deposit/"],
  [/^evt_[0-9a-f-]{36}$/, "./event/"],
  [/^req_[0-9a-f-]{36}$/, "./request/"],
  [/^chg_[0-9a-f-]{36}$/, "./change/"],
  [/^(?:sbx|live)_[a-z0-9]{20}$/, "./partner/"],
];
const PROPOSAL_MEMBERS = ["proposal_id", "proposal"];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the address of a record's page, if the value is the id of one. */
export function addressOf(name: string, text: string): string | undefined {
  const found = ADDRESSES.find(([form]) => form.test(text));
  if (found) return found[1] + text;
  return PROPOSAL_MEMBERS.includes(name) && UUID.test(text) ? `./proposal/${text}` : undefined;
}

const GOOD = /^(active|executed|approved|delivered|paid|open|verified|booked|trusted|signs|done|yes|signed)$/;
const WAITING = /^(pending|pending_approval|submitted|recorded|stale|closed|no|expiring|to do)$/;
const BAD =
  /^(halted|suspended|rejected|returned|failed|failing|expired|revoked|parked|disabled|NOT VALID|no price)$/;
/** The members whose value is one of a few words. */
const STATUS = /^(status|market|webhook|delivery|signature|state)$/;
const NUMBER = /^-?[0-9][0-9,]*(?:\.[0-9]+)?$/;
const LONG = /^(canonical_text|body|public_key|request_body|certificate_request)$/;

/**
 * Text on one line. Each isolated part gets its own <bdi>, so that its direction does not affect the
 * sentence.
 */
export const lineOf = (text: string, change = (part: string) => part): Html =>
  html`${
    splitIsolates(text).map((part, n) =>
      n % 2 === 0 ? change(printable(part)) : html`<bdi>${printable(part)}</bdi>`
    )
  }`;

/** A value, as its name and its form say. Text is always foreign: it may be of any script and direction. */
export function cell(name: string, value: Value, isBrief = true): Html {
  if (Array.isArray(value)) {
    const parts = value.map((one) => cell(name, one, isBrief));
    return html`${parts.map((part, index) => index === 0 ? part : html`, ${part}`)}`;
  }
  if (value === null || value === "") return html`<span class="none">–</span>`;
  if (LONG.test(name)) {
    return html`<pre dir="ltr">${
      `${value}`.trimEnd().split("\n").map((line, n) =>
        html`${n === 0 ? "" : "\n"}${lineOf(isolateQuoted(line))}`
      )
    }</pre>`;
  }
  const plain = `${value}`;
  const text = printable(plain);
  if (isInstant(text)) {
    const screen = { columns: 80, hasColor: false, now: new Date() };
    return html`<time datetime="${text}" title="${text}">${riyadhTime(text, screen, isBrief)}</time>`;
  }
  const address = addressOf(name, text);
  if (address !== undefined) {
    return html`<a href="${address}" title="${text}">${isBrief ? shortId(text) : text}</a>`;
  }
  if (NUMBER.test(text) && isQuantity(name)) return html`<data value="${text}">${groupDigits(text)}</data>`;
  if (STATUS.test(name)) {
    return html`<span class="status ${toneOf(text)}">${text.replaceAll("_", " ")}</span>`;
  }
  // Only our own lists have this member. A partner's text may look like a command, too.
  const link = name === "next" ? actionOf(text) : undefined;
  if (link) return html`<a class="button" href="${link.href}">${link.label}</a>`;
  const short = (part: string) => isBrief ? part.split(" ").map(shortId).join(" ") : part;
  // Our own sentences can contain names that somebody else chose. Each name gets its own <bdi>.
  if (hasIsolates(plain)) return html`<span dir="ltr">${lineOf(plain, short)}</span>`;
  return isBrief ? html`<bdi title="${text}">${short(text)}</bdi>` : html`<bdi>${text}</bdi>`;
}

const toneOf = (text: string): string =>
  GOOD.test(text) ? "good" : WAITING.test(text) ? "waits" : BAD.test(text) ? "bad" : "";

/** One object: its members with their values. */
export const pairs = (row: Row): Html =>
  html`<dl class="pairs">${
    Object.entries(row).map(([name, value]) =>
      html`
        <dt>${labelOf(name)}</dt>
        <dd>${cell(name, value, false)}</dd>
      `
    )
  }</dl>`;

/** How a table shows its rows. */
export interface TableOptions {
  /** Whole ids and times, for paper. */
  readonly isWhole?: boolean;
  /** What a person can do with a row. */
  readonly link?: (row: Row) => Html | undefined;
}

/** A list. Columns without any value are left out. */
export function table(
  rows: readonly Row[],
  caption: string,
  { isWhole = false, link }: TableOptions = {},
): Html {
  if (rows.length === 0) return html`<p class="none">${TEXT.nothing}</p>`;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => (row[name] ?? null) !== null)
  );
  const isNumber = (name: string) =>
    rows.every((row) =>
      (row[name] ?? null) === null || NUMBER.test(`${row[name]}`) && !addressOf(name, `${row[name]}`)
    );
  const tone = Object.fromEntries(names.map((name) => [name, isNumber(name) ? "number" : ""]));
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="${caption}">
      <table>
        <thead>
          <tr>${names.map((name) => html`<th scope="col" class="${tone[name]}">${labelOf(name)}</th>`)}${link
            ? html`<th scope="col">${TEXT.next}</th>`
            : ""}</tr>
        </thead>
        <tbody>${rows.map((row) =>
          html`<tr>${
            names.map((name) =>
              html`<td class="${tone[name]}">${cell(name, row[name] ?? null, !isWhole)}</td>`
            )
          }${link ? html`<td>${link(row) ?? ""}</td>` : ""}</tr>`
        )}</tbody>
      </table>
    </div>
  `;
}

/** A part of a page, with a heading. Rows become a table. */
export const section = (title: string, content: Html | readonly Row[]): Html =>
  html`<section><h2>${title}</h2>${isRows(content) ? table(content, title) : content}</section>`;

const isRows = (content: Html | readonly Row[]): content is readonly Row[] => Array.isArray(content);

/** A result of a command with all its parts and lists. */
export function resultOf({ title, object, parts = {}, items, lists = {}, notice }: Result): Html {
  return html`${title ? html`<p class="lead" dir="ltr">${lineOf(title)}</p>` : ""}${
    notice ? notice.split("\n").map((line) => html`<p class="note" dir="ltr">${lineOf(line)}</p>`) : ""
  }${object ? pairs(object) : ""}${items ? table(items, TEXT.list) : ""}${
    Object.entries(parts).map(([name, row]) => section(labelOf(name), pairs(row)))
  }${Object.entries(lists).map(([name, rows]) => section(labelOf(name), rows))}`;
}

/** A row with some of its members, in this order. */
export const pick = (row: Row, names: string): Row =>
  Object.fromEntries(names.split(" ").flatMap((name) => name in row ? [[name, row[name]!]] : []));
