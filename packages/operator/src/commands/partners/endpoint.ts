import type { Row as SqlRow } from "postgres";
import type { Command, Invocation, Result, Row } from "../../command.ts";
import { usage } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { repeated, required, wholeArgument } from "../../values.ts";
import { newSealedSecret } from "../credentials/new_secret.ts";
import {
  changeAlone,
  changeOrPropose,
  confirmAlone,
  hexOf,
  makeOrPropose,
  type Request,
} from "../changes/proposing.ts";
import { readWebhook } from "./partner_terms.ts";
import { findPartner } from "./registered_partner.ts";

const numberOf = (text: string) => wholeArgument(text, "ENDPOINT");

const list: Command = {
  words: "endpoint list",
  usage: "endpoint list ID",
  does: "lists a partner's webhook endpoints with their types and the state of their deliveries",
  takes: ["ID"],
  async run({ query, positionals: [id] }) {
    await findPartner(query, id!);
    const rows = await query`select * from gold.endpoint_overview where public_id = ${id!} order by number`;
    return { items: rows.map(endpointRow) };
  },
};

export const endpointRow = (row: SqlRow): Row => ({
  endpoint: row.number,
  url: row.url,
  types: row.types === null ? "all" : row.types.join(", "),
  webhook: row.disabled_at ? "disabled" : row.failures > 0 ? "failing" : "ok",
  disabled_at: instantOf(row.disabled_at),
  failures: row.failures,
  rests_until: instantOf(row.rests_until),
  events_waiting: Number(row.waiting),
  events_parked: Number(row.parked),
});

const add: Command = {
  words: "endpoint add",
  usage: "endpoint add ID --url https://… [--type TYPE …]",
  does:
    "adds a webhook endpoint and shows its secret once; it gets the events from now on, with --type only those of these types. A partner has at most five endpoints",
  options: { url: { type: "string" }, type: { type: "string", multiple: true } },
  takes: ["ID"],
  async run(invocation) {
    const { values, positionals: [id] } = invocation;
    return await addEndpoint(invocation, id!, required(values, "url"), repeated(values, "type"));
  },
};

/** Without types, the endpoint gets the events of all types. */
export async function addEndpoint(
  invocation: Invocation,
  id: string,
  url: string,
  types: readonly string[],
  request?: Request,
): Promise<Result> {
  const { db, random, keys } = invocation;
  const webhook = await readWebhook(url, await (await db()).deployment(), "--url");
  const content = { client_id: id, url: webhook.url, ...(types.length > 0 ? { types } : {}) };
  // The take of a request has asked already.
  if (!request) await confirmAlone(invocation, { kind: "endpoint.add", content });
  const secret = await newSealedSecret(keys, random);
  const { sql } = await db();
  const change = {
    kind: "endpoint.add",
    content: {
      ...content,
      sealed: hexOf(secret.sealed),
      sealing_key: secret.keyName,
    },
    secrets: { webhook_secret: secret.text },
    ...(request ? { request } : {}),
  } as const;
  const made = await makeOrPropose(invocation, async () => {
    const { endpoint } = await changeAlone(sql, change);
    return {
      title: "The secret is shown only once. Send it to the partner over a secure channel.",
      object: { client_id: id, endpoint, url: webhook.url, webhook_secret: secret.text },
    };
  }, () => change);
  return { ...made, notice: webhook.notice };
}

const set: Command = {
  words: "endpoint set",
  usage: "endpoint set ID ENDPOINT [--url https://…] [--type TYPE … | --all-types]",
  does:
    "changes the URL or the types of a webhook endpoint. --type replaces all types, also for the events that wait. --url enables a disabled endpoint, even if the URL stays the same",
  options: {
    url: { type: "string" },
    type: { type: "string", multiple: true },
    "all-types": { type: "boolean" },
  },
  takes: ["ID", "ENDPOINT"],
  async run(invocation) {
    const { values, db, positionals } = invocation;
    const [id, number] = positionals as [string, string];
    const types = repeated(values, "type");
    if (types.length > 0 && values["all-types"]) throw usage("Give either --type or --all-types.");
    const webhook = values.url === undefined
      ? undefined
      : await readWebhook(required(values, "url"), await (await db()).deployment(), "--url");
    const content = {
      client_id: id,
      endpoint: numberOf(number),
      ...(webhook ? { url: webhook.url } : {}),
      ...(types.length > 0 || values["all-types"] ? { types } : {}),
    };
    if (Object.keys(content).length === 2) throw usage(`There is nothing to set. Usage: gold ${set.usage}`);
    if (webhook) await confirmAlone(invocation, { kind: "endpoint.set", content });
    const made = await changeOrPropose(invocation, { kind: "endpoint.set", content }, {
      object: { ...content, ...("types" in content ? { types: types.join(", ") || "all" } : {}) },
    });
    return { ...made, notice: webhook?.notice };
  },
};

const remove: Command = {
  words: "endpoint remove",
  usage: "endpoint remove ID ENDPOINT",
  does:
    "removes a webhook endpoint: it gets no events any more, not even those that wait, and its secrets retire. The first endpoint cannot be removed",
  takes: ["ID", "ENDPOINT"],
  async run(invocation) {
    const [id, number] = invocation.positionals as [string, string];
    await invocation.confirm(
      `Remove the webhook endpoint ${number} of ${id}? Events that wait for it are never sent to it.`,
    );
    const content = { client_id: id, endpoint: numberOf(number) };
    return await changeOrPropose(invocation, { kind: "endpoint.remove", content }, {
      object: { ...content, status: "removed" },
    });
  },
};

export const ENDPOINT_COMMANDS: readonly Command[] = [list, add, set, remove];
