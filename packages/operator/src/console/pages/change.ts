import { html } from "hono/html";
import type { Row } from "../../command.ts";
import { button, formLink } from "../layout.ts";
import { type Page, part } from "../page.ts";
import { type Html, pairs, pick, section } from "../render.ts";
import { TITLE } from "../texts.ts";

const FACTS =
  "change_id client_id name kind status requested_at taken_by proposal_id decided_at declined_by reason";

/** What the partner has today of the kind that it asked for. */
const TODAY: Readonly<Record<string, string>> = {
  signing_key: "signing-key list",
  certificate_request: "cert list",
  ip_range: "partner show",
  webhook_endpoint: "endpoint list",
};

/** A change that a partner requested, with all that a person compares before taking or declining it. */
export async function change({ run, frame }: Page, text: string): Promise<Html> {
  const { title, object = {} } = await run("change show", "--", text);
  const { change_id, client_id, kind, status } = object;
  const names = FACTS.split(" ");
  const asked = Object.entries(object).filter(([name]) => !names.includes(name) && name !== "is_outdated");
  const facts = Object.fromEntries(
    Object.entries({ ...pick(object, FACTS), kind: `${kind}`.replaceAll("_", " ") }).filter(([, value]) =>
      value !== null
    ),
  );
  const given = { CHG: `${change_id}` };
  return html`
    <p class="lead" dir="ltr">${title}</p>${section(
      TITLE.whatThePartnerAskedFor,
      pairs(Object.fromEntries(asked)),
    )}<div
      class="actions">${status !== "requested"
        ? ""
        : html`${object.is_outdated ? "" : button(frame, "change take", given)}${
          formLink("change decline", given)
        }`}</div>${await part(TITLE.registeredToday, async (): Promise<Html | readonly Row[]> => {
          const { items, object: today } = await run(TODAY[`${kind}`]!, `${client_id}`);
          return items ?? pairs(pick(today!, "ips"));
        })}${section(TITLE.theRequest, pairs(facts))}
  `;
}
