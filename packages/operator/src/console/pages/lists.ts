import { html } from "hono/html";
import type { Cell, Row } from "../../command.ts";
import { type Page, part } from "../page.ts";
import { formLink, type Frame } from "../layout.ts";
import { addressOf, cell, type Html, pairs, pick, table } from "../render.ts";
import { AUDIT_SENTENCES, TEXT, TITLE } from "../texts.ts";

/** The query parameters of a page. */
export type Query = Readonly<Record<string, string>>;

export async function inbox({ frame, run }: Page): Promise<Html> {
  return html`<p><button type="button" data-notify hidden>${TEXT.notify}</button></p>${
    table(frame.inbox, TITLE.whatWaits)
  }${await part(
    TITLE.newestProposals,
    async () => (await run("proposal list")).items!.toReversed().slice(0, 20),
  )}`;
}

/** A form whose fields become the query of the page's address. */
const filter = (
  query: Query,
  fields: readonly (readonly [name: string, label: string, type: string])[],
): Html =>
  html`<form class="filter">${
    fields.map(([name, label, type]) =>
      html`<label><span>${label}</span><input name="${name}" type="${type}" value="${
        query[name] ?? ""
      }"></label>`
    )
  }<button>${TEXT.show}</button></form>`;

/** Options for a command, from the query of an address. */
const optionsOf = (query: Query, names: readonly string[]): string[] =>
  names.flatMap((name) => query[name] ? [`--${name}=${query[name]}`] : []);

/** A list of trades, newest first. */
const tradeList =
  (words: string, title: string) => async ({ run, frame }: Page, query: Query): Promise<Html> =>
    html`${filter(query, [["partner", "Partner", "text"]])}${await part(title, async () => {
      const { items, object } = await run(words, "--limit=50", ...optionsOf(query, ["partner", "after"]));
      return html`${table(items!, title)}${
        object?.next ? moreLink(frame, { ...query, after: `${object.next}` }) : ""
      }`;
    })}`;

const moreLink = ({ path }: Frame, query: Query): Html =>
  html`<p><a class="button" href=".${path}?${new URLSearchParams(query).toString()}">${TEXT.more}</a></p>`;

export const orders = tradeList("order", TITLE.newestOrders);
export const quotes = tradeList("quote", TITLE.newestQuotes);

export async function search({ run }: Page, { q = "" }: Query): Promise<Html> {
  return html`<p>${TEXT.searched} <bdi>${q}</bdi></p>${await part(TITLE.records, async () => {
    const { items } = await run("find", "--", q);
    return html`<ul class="found">${items!.map(foundText)}</ul>`;
  })}`;
}

/** Records without a page of their own link to the list that shows them. */
const LISTED: Readonly<Record<string, string>> = {
  bar: "./stock",
  "list of bars": "./stock",
  payment: "./money",
  person: "./people",
};

function foundText({ kind, id, about }: Row): Html {
  const address = LISTED[`${kind}`] ?? addressOf(kind === "proposal" ? "proposal_id" : "id", `${id}`);
  const words = `${about}`.split(" ").map((word) => {
    const owner = addressOf("about", word);
    return html`
      ${owner ? html`<a href="${owner}">${word}</a>` : word}
    `;
  });
  return html`<li>${kind} ${
    address ? html`<a href="${address}">${id}</a>` : html`<bdi>${id}</bdi>`
  } <bdi>${words}</bdi></li>`;
}

/** A page of more rows takes longer to write than to read. */
const MOST_PARTNERS = 200;

export async function partners({ run, frame }: Page, { from = "0" }: Query): Promise<Html> {
  const [list, positions] = await Promise.all([run("partner list"), run("position")]);
  const listed = new Map(list.items!.map((row) => [row.client_id, row]));
  const first = Math.max(0, Number(from) || 0);
  const next = first + MOST_PARTNERS;
  const rows = positions.items!.slice(first, next).map((row) => ({
    ...pick(listed.get(row.client_id!) ?? row, "client_id name status webhook events_waiting"),
    ...pick(row, "net_grams gold_grams sar_available sar_held last_posted_at"),
  }));
  return html`<p class="actions">${formLink("partner create")}</p>${table(rows, TITLE.partners)}${
    next < positions.items!.length ? moreLink(frame, { from: `${next}` }) : ""
  }`;
}

/** The lists of the page Money, with the names that its address gives them. */
const MONEY: Readonly<Record<string, readonly [title: string, words: string]>> = {
  pending_approval: [TITLE.withdrawalsThatWaitForAnApproval, "withdrawal list --status=pending_approval"],
  approved: [TITLE.approvedWithdrawals, "withdrawal list --status=approved"],
  submitted: [TITLE.withdrawalsAtTheBank, "withdrawal list --status=submitted"],
  recorded: [TITLE.depositsThatWaitForAnApproval, "deposit list --status=recorded"],
  deposits: [TITLE.newestDeposits, "deposit list"],
};
const WITHDRAWAL_COLUMNS =
  "withdrawal_id client_id amount_sar iban reference status_by status_at held_until batch";
const MOST_OF_MONEY = 50;

/** The newest rows of all lists, or the following rows of one. */
export async function money({ run, frame }: Page, { list = "", ...query }: Query): Promise<Html> {
  const shown = Object.entries(MONEY).filter(([name]) => !Object.hasOwn(MONEY, list) || name === list);
  const parts = await Promise.all(shown.map(([name, [title, words]]) =>
    part(title, async () => {
      const older = name === list ? optionsOf(query, ["after"]) : [];
      const { items, object } = await run(words, `--limit=${MOST_OF_MONEY}`, ...older);
      const rows = words.startsWith("deposit") ? items! : items!.map((row) => pick(row, WITHDRAWAL_COLUMNS));
      return html`${table(rows, title)}${
        object?.next
          ? html`<p class="note">${TEXT.newest(MOST_OF_MONEY)}</p>${
            moreLink(frame, { list: name, after: `${object.next}` })
          }`
          : ""
      }`;
    })
  ));
  return html`<p class="actions">${
    ["deposit record", "withdrawal approve", "withdrawal submit", "withdrawal paid"].map((words) =>
      formLink(words)
    )
  }</p>${parts}`;
}

export async function market({ run }: Page): Promise<Html> {
  return html`<p class="actions">${formLink("price set")}${
    formLink("price set", { "--open": "never" }, TEXT.closeNow)
  }${formLink("market set")}${formLink("market open")}</p>
<figure class="chart" data-chart="price" data-source="./series.json"><noscript>${TEXT.scriptless}</noscript></figure>
<div class="columns">${await part(
    TITLE.priceAndHours,
    async () => pairs((await run("price show")).object!),
  )}${await part(TITLE.bandBreakerAndExposure, async () => pairs((await run("market show")).object!))}</div>`;
}

export async function stock({ run }: Page): Promise<Html> {
  const { object } = await run("stock");
  return html`<p class="actions">${formLink("vault add")}</p>${pairs(object!)}${await part(
    TITLE.bars,
    async () =>
      table((await run("vault list")).items!, TITLE.bars, {
        link: ({ serial, removed_at }) =>
          removed_at === null ? formLink("vault remove", { SERIAL: `${serial}` }) : undefined,
      }),
  )}`;
}

export async function people({ run }: Page): Promise<Html> {
  const list = (title: string, words: string, columns?: string) =>
    part(title, async () => {
      const { items } = await run(words);
      return columns === undefined ? items! : items!.map((row) => pick(row, columns));
    });
  return html`<p class="actions">${formLink("registry adopt")}${formLink("recovery show")}${
    formLink("recovery accept")
  }</p>${await list(
    TITLE.operators,
    "operator list",
  )}${await list(
    TITLE.signingKeysOfOperators,
    "operator key list",
    "login fingerprint type status admitted_by added_at ended_at",
  )}${await list(TITLE.authorities, "ca list")}${await list(TITLE.whatEndsSoon, "inventory")}`;
}

export async function audit({ run }: Page, query: Query): Promise<Html> {
  const { items } = await run("audit list", "--limit=100", ...optionsOf(query, ["subject", "since"]));
  return html`${
    filter(query, [["subject", "Subject, such as a partner's id", "text"]])
  }<ol class="timeline">${items!.map(sentenceOf)}</ol>`;
}

/** An audit row in words: who did what to which record. */
export function sentenceOf({ at, login, action, subject, detail }: Row): Html {
  const members = membersOf(`${detail ?? "{}"}`);
  const words = (AUDIT_SENTENCES[`${action}`] ?? `${action} %`).split(/(%|\{\w+\})/).map((part) =>
    part === "%"
      ? cell(`${action}`.startsWith("proposal.") ? "proposal" : "subject", subject!)
      : part.startsWith("{")
      ? cell("member", members[part.slice(1, -1)] ?? null)
      : part
  );
  return html`<li>${
    cell("at", at!)
  } <b><bdi>${login}</bdi></b> ${words} <details><summary>${TEXT.details}</summary>${
    pairs(members)
  }</details></li>`;
}

function membersOf(detail: string): Row {
  try {
    return Object.fromEntries(
      Object.entries(JSON.parse(detail)).map(([name, value]) => [
        name,
        value !== null && typeof value === "object" ? JSON.stringify(value) : value as Cell,
      ]),
    );
  } catch {
    return { detail };
  }
}
