import { html } from "hono/html";
import {
  describeDeposit,
  describeWithdrawal,
  findDeposit,
  findWithdrawal,
} from "../../commands/money/money_rows.ts";
import { type Page, part } from "../page.ts";
import { button, formLink } from "../layout.ts";
import {
  cell,
  type Html,
  lineOf,
  pairs,
  pick,
  resultOf,
  section,
  table,
  type TableOptions,
} from "../render.ts";
import { TEXT, TITLE } from "../texts.ts";
import { type Query, sentenceOf } from "./lists.ts";

/** An order or a quote, in the order in which it happened. */
export async function order({ run }: Page, id: string): Promise<Html> {
  const { object, parts = {}, lists = {} } = await run(id.startsWith("qt_") ? "quote" : "order", "--", id);
  const steps = ["price", "quote", "request", "order"].flatMap((name) =>
    parts[name] ? [section(STEPS[name]!, pairs(parts[name]))] : []
  );
  return html`${pairs(object!)}<div class="columns">${steps}</div>${
    section(STEPS.postings!, lists.postings!)
  }${parts.event ? section(STEPS.event!, pairs(parts.event)) : ""}${
    section(STEPS.deliveries!, lists.deliveries!)
  }${section(TITLE.attempts, lists.attempts!)}${
    parts.chain ? section(STEPS.chain!, pairs(parts.chain)) : ""
  }`;
}
const STEPS: Readonly<Record<string, string>> = {
  price: "1. The price",
  quote: "2. The quote",
  request: "3. The signed request",
  order: "4. The order",
  postings: "5. The postings",
  event: "6. The event",
  deliveries: "7. Its deliveries",
  chain: "8. Its link in the partner's hash chain",
};

const BALANCES = "sar_available sar_held gold_grams";
const TERMS = "rate_per_second burst maximum_grams";
const LIMITS = "open_quotes open_grams daily_records net_grams daily_withdrawals daily_withdrawn";

export async function partner({ run, frame }: Page, text: string): Promise<Html> {
  const { object, lists } = await run("partner show", "--", text);
  const id = `${object!.client_id}`;
  const shown = [...`${BALANCES} ${TERMS} ${LIMITS}`.split(" "), "client_id", "name", "status"];
  const rest = Object.fromEntries(Object.entries(object!).filter(([name]) => !shown.includes(name)));
  const list = (title: string, words: string, link?: TableOptions["link"]) =>
    part(title, async () => table((await run(words, id)).items!, title, link ? { link } : {}));
  const isSuspended = object!.status === "suspended";
  const links = [
    ...["partner set", "deposit record", "cert issue", "signing-key add", "secret rotate"],
    ...["webhook-secret rotate", "endpoint add", "event replay"],
  ];
  const retire = (words: string): TableOptions["link"] => ({ status, secret_id }) =>
    status === "active" || status === "retiring"
      ? formLink(words, { ID: id, SECRET_ID: `${secret_id}` })
      : undefined;
  return html`
    <p class="lead"><bdi>${object!.name}</bdi> ${cell("status", object!.status!)}</p>
    <div
      class="actions">${button(frame, isSuspended ? "partner resume" : "partner suspend", {
        ID: id,
      })}${object!.pending_iban ? button(frame, "partner approve-iban", { ID: id }) : ""}${links.map((
        words,
      ) => formLink(words, { ID: id }))}<a class="button" href="./partner/${id}/statement">${TEXT
        .statement}</a></div>
    <div
      class="columns">${section(TITLE.balances, pairs(pick(object!, BALANCES)))}${section(
        TITLE.limits,
        html`${pairs(pick(object!, TERMS))}${table(lists!.limits!, TITLE.limits)}`,
      )}${section(TITLE.registered, pairs(rest))}</div>${await part(
        TITLE.newestOrders,
        async () => (await run("order", `--partner=${id}`, "--limit=10")).items!,
      )}${await list(
        TITLE.certificates,
        "cert list",
        ({ status, fingerprint }) =>
          status === "active" ? formLink("cert revoke", { FINGERPRINT: `${fingerprint}` }) : undefined,
      )}${await list(
        TITLE.signingKeys,
        "signing-key list",
        ({ status, thumbprint }) =>
          status === "active" ? formLink("signing-key retire", { ID: id, KID: `${thumbprint}` }) : undefined,
      )}${await list(TITLE.clientSecrets, "secret list", retire("secret retire"))}${await list(
        TITLE.webhookSecrets,
        "webhook-secret list",
        retire("webhook-secret retire"),
      )}${await list(TITLE.webhookEndpoints, "endpoint list", ({ endpoint }) => {
        const given = { ID: id, ENDPOINT: `${endpoint}` };
        // The first endpoint cannot be removed.
        return html`${formLink("endpoint set", given, TEXT.change)} ${
          endpoint === 1 ? "" : formLink("endpoint remove", given, TEXT.remove)
        }`;
      })}${await list(TITLE.requestedChanges, "change list")}${await part(
        TITLE.eventsAndDeliveries,
        async () => {
          const { items, lists } = await run("event list", id);
          return html`${table(items!, TITLE.events)}${table(lists?.attempts ?? [], TITLE.attempts)}`;
        },
      )}${await part(
        TITLE.whatPeopleChanged,
        async () =>
          html`<ol class="timeline">${
            (await run("audit list", `--subject=${id}`, "--limit=20")).items!.map(sentenceOf)
          }</ol>`,
      )}
  `;
}

/** The options of a statement, from the address of its page. */
export const periodOf = ({ from, to }: Query): string[] => [
  ...(from ? [`--from=${from}`] : []),
  ...(to ? [`--to=${to}`] : []),
];

export async function statement({ run }: Page, text: string, query: Query): Promise<Html> {
  const { object, items, lists, notice } = await run("statement", ...periodOf(query), "--", text);
  const id = object!.client_id;
  const days = new URLSearchParams({ from: `${object!.from}`, to: `${object!.to}` }).toString();
  return html`
    <form
      class="filter screen"><label><span>${TEXT.from}</span><input type="date" name="from" value="${object!
        .from}"></label><label><span>${TEXT.to}</span><input type="date" name="to" value="${object!
        .to}"></label><button>${TEXT
        .show}</button> <a class="button" href="./partner/${id}/statement.csv?${days}">CSV</a> <a class="button" href="./partner/${id}/statement.json?${days}">JSON</a></form>${pairs(
          object!,
        )}${section(TITLE.balances, lists!.balances!)}${notice
        ? html`<p class="note">${notice}</p>`
        : ""}${section(
          TITLE.postings,
          table(items!, TITLE.postings, { isWhole: true }),
        )}
  `;
}

/** A proposal, with all that the person who approves it compares. */
export async function proposal({ run, frame }: Page, text: string): Promise<Html> {
  const { object, lists } = await run("proposal show", "--", text);
  const id = `${object!.proposal_id}`;
  const { sha256, status, proposer, has_secrets, is_outdated } = object!;
  const { canonical_text, consequences, ...facts } = object!;
  const warnings = lists?.warnings ?? [];
  const isPending = status === "pending";
  const isOwn = proposer === frame.login;
  return html`
    <p class="lead" dir="ltr">${lineOf(`${consequences}`)}</p>${warnings.length > 0
      ? html`<ul class="alarms">${
        warnings.map(({ warning }) => html`<li dir="ltr">${lineOf(`${warning}`)}</li>`)
      }</ul>`
      : ""}${section(TITLE.whatChanges, lists!.changes!)}
    <div
      class="actions">${is_outdated
        ? ""
        : isPending && !isOwn
        ? button(frame, "proposal approve", { PROPOSAL: id, "--sha256": `${sha256}` })
        : isPending
        ? html`<p class="note">${TEXT.otherApproves}</p>`
        : ""}${isPending && isOwn && object!.signed_by === null
        ? button(frame, "proposal sign", { PROPOSAL: id })
        : ""}${isPending
        ? button(frame, "proposal reject", { PROPOSAL: id })
        : ""}${isOwn && status === "approved" && has_secrets
        ? button(frame, "proposal show", { PROPOSAL: id, "--secrets": "yes" })
        : ""}</div>${section(TITLE.theProposal, pairs(facts))}<details><summary>${TEXT
        .signedText}</summary>${cell("canonical_text", canonical_text!)}</details>
  `;
}

export async function withdrawal({ read, frame }: Page, id: string): Promise<Html> {
  const row = await findWithdrawal(read, id);
  const actions: Readonly<Record<string, readonly string[]>> = {
    pending_approval: ["withdrawal approve", "withdrawal reject"],
    approved: ["withdrawal reject"],
    submitted: ["withdrawal paid", "withdrawal returned"],
    paid: ["withdrawal returned"],
  };
  return html`${
    pairs({
      ...describeWithdrawal(row),
      ...{ reference: row.reference, status: row.status, status_by: row.status_by, batch: row.batch_id },
      ...{ status_at: row.status_at.toISOString(), created_at: row.created_at.toISOString() },
    })
  }<div class="actions">${
    (actions[row.status] ?? []).map((words) => button(frame, words, { WD: id }))
  }</div>`;
}

export async function deposit({ read, frame }: Page, id: string): Promise<Html> {
  const row = await findDeposit(read, id);
  const actions = row.status === "recorded" ? ["deposit approve", "deposit reverse"] : ["deposit reverse"];
  return html`${
    pairs({
      ...describeDeposit(row),
      status: row.status,
      recorded_by: row.recorded_by,
      approved_by: row.approved_by,
    })
  }<div class="actions">${
    row.status === "reversed" ? "" : actions.map((words) => button(frame, words, { DEP: id }))
  }</div>`;
}

export async function event({ run, frame }: Page, id: string): Promise<Html> {
  const { object, lists } = await run("event show", "--", id);
  return html`${pairs(object!)}<div class="actions">${button(frame, "event redeliver", { EVT: id })}</div>${
    section(TITLE.deliveries, lists!.deliveries!)
  }${section(TITLE.attempts, lists!.attempts!)}`;
}

export const request = async ({ run }: Page, id: string): Promise<Html> =>
  resultOf(await run("why", "--", id));
