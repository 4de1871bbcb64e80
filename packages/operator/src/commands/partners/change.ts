import { isolate } from "@gold-partner/command-line";
import type { ChangeContent } from "@gold-partner/protocol";
import type { Row as SqlRow } from "postgres";
import type { Command, Invocation, Result, Row } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { readCsr } from "../../pki/mod.ts";
import type { Query } from "../../query.ts";
import { line } from "../../values.ts";
import { ASKED_OVER_API } from "../changes/answered_request.ts";
import { changeOrPropose, storedRanges } from "../changes/proposing.ts";
import { signRequest } from "../credentials/cert.ts";
import { addSigningKey, type NewSigningKey } from "../credentials/signing_key.ts";
import { addEndpoint } from "./endpoint.ts";
import { parseSigningKey } from "./partner_terms.ts";
import { findPartner } from "./registered_partner.ts";

const LISTED = 100;

const list: Command = {
  words: "change list",
  usage: "change list [ID]",
  does: `lists the newest ${LISTED} changes that partners requested, or one partner`,
  takes: ["[ID]"],
  async run({ query, positionals: [id = null] }) {
    if (id !== null) await findPartner(query, id);
    const rows = await query`
      select * from gold.change_overview where ${id}::text is null or public_id = ${id}
      order by requested_at desc limit ${LISTED}`;
    return { items: rows.map(rowOf) };
  },
};

const rowOf = ({ id, public_id, name, kind, status, requested_at }: SqlRow): Row => ({
  change_id: `chg_${id}`,
  client_id: public_id,
  name,
  kind,
  status,
  requested_at: instantOf(requested_at),
});

const show: Command = {
  words: "change show",
  usage: "change show CHG",
  does: "shows a change that a partner requested: its content, and what became of it",
  takes: ["CHG"],
  async run({ query, positionals: [id] }) {
    const row = await findChange(query, id!);
    const isOutdated = row.status === "requested" && row.wanted === null;
    return {
      title: isOutdated ? `${ASKED_OVER_API} ${OUTDATED}` : ASKED_OVER_API,
      object: {
        ...rowOf(row),
        ...(isOutdated ? { is_outdated: true } : {}),
        ...await describe(JSON.parse(row.content), JSON.parse(row.wanted ?? "{}")),
        taken_by: row.taken_by,
        proposal_id: row.proposal,
        decided_at: instantOf(row.decided_at),
        declined_by: row.declined_by,
        reason: row.reason,
      },
    };
  },
};

const OUTDATED = "It was requested before an upgrade, and can only be declined.";

/** What people compare with the partner over another channel. */
async function describe(content: ChangeContent, { key_hash, url: stored }: Partial<Asked>): Promise<Row> {
  if ("signing_key" in content) {
    const { thumbprint, kid = thumbprint } = await parseSigningKey(JSON.stringify(content.signing_key));
    return { thumbprint, kid };
  }
  if ("certificate_request" in content) {
    // A request with another subject can be shown, but no certificate can be issued for it.
    const { subject } = await readCsr(content.certificate_request).catch((error) => ({
      subject: { organization: `not readable: ${error.message}`, commonName: null },
    }));
    return {
      organization: subject.organization,
      common_name: subject.commonName,
      ...(key_hash ? { key_hash } : {}),
      certificate_request: content.certificate_request,
    };
  }
  if ("ip_range" in content) return { ip_range: content.ip_range };
  const { url, types } = content.webhook_endpoint;
  return { url: stored ?? url, types: types?.join(", ") ?? "all" };
}

const take: Command = {
  words: "change take",
  usage: "change take CHG",
  does:
    "makes or proposes the change that a partner requested, as signing-key add, cert issue, partner set --ip or endpoint add would. Compare its content with the partner over another channel first (change show)",
  takes: ["CHG"],
  run: takeChange,
};

async function takeChange(invocation: Invocation): Promise<Result> {
  const { query, confirm, positionals: [given] } = invocation;
  const { id, public_id, name, content, wanted, status } = await findChange(query, given!);
  if (status !== "requested") {
    throw new Failure(EXIT.refused, "refused", `The change ${given} is ${status} already. Nothing was done.`);
  }
  if (wanted === null) {
    throw new Failure(
      EXIT.refused,
      "refused",
      `The change ${given} cannot be taken. ${OUTDATED} Nothing was done. Run: gold change decline ${given} --reason "Request it again".`,
    );
  }
  const asked: Asked = { ...JSON.parse(wanted), id, content: JSON.parse(content) };
  const { certificate_request: _, ...shown } = await describe(asked.content, asked);
  const members = Object.entries(shown).map(([member, value]) =>
    `${member.replaceAll("_", " ")} ${isolate(value)}`
  )
    .join(", ");
  await confirm(
    `Take up what ${isolate(name)} (${public_id}) asked for: ${members}? ${ASKED_OVER_API}`,
    true,
  );
  const made = await answer(invocation, public_id, asked);
  return { ...made, object: { change_id: `chg_${id}`, ...made.object } };
}

/** A request, with the members that its answer must have, as the service stored them. */
interface Asked extends NewSigningKey {
  readonly id: string;
  readonly content: ChangeContent;
  readonly key_hash: string;
  readonly range: string;
  readonly url: string;
  readonly types?: readonly string[];
}

/** Makes or proposes exactly the requested change. The same database call takes the request up. */
async function answer(invocation: Invocation, client: string, asked: Asked): Promise<Result> {
  const { id, content } = asked;
  if ("signing_key" in content) return await addSigningKey(invocation, client, asked, { id });
  if ("certificate_request" in content) {
    const read = () => Promise.resolve(content.certificate_request);
    const { pem, change, object, warning } = await signRequest(invocation, client, read);
    const result = {
      title: "The partner can fetch the certificate with GET /v1/account/changes.",
      object: { ...object, ...(warning ? { warning } : {}) },
    };
    return await changeOrPropose(invocation, { ...change, request: { id, certificate: pem } }, result);
  }
  if ("ip_range" in content) {
    const { ips } = await findPartner(invocation.query, client);
    const { sql } = await invocation.db();
    const all = await storedRanges(sql, [...ips ?? [], asked.range]);
    if (new Set(all).size < all.length) {
      throw new Failure(EXIT.refused, "refused", `${all.at(-1)} is registered already. Nothing was done.`);
    }
    const change = {
      kind: "partner.set",
      content: { client_id: client, ips: all },
      request: { id },
    } as const;
    return await changeOrPropose(invocation, change, { object: change.content });
  }
  return await addEndpoint(invocation, client, asked.url, asked.types ?? [], { id });
}

const decline: Command = {
  words: "change decline",
  usage: "change decline CHG --reason TEXT",
  does: "declines a change that a partner requested; the partner can read the reason",
  options: { reason: { type: "string" } },
  takes: ["CHG"],
  async run({ query, values, positionals: [given] }) {
    const reason = line(values, "reason");
    const { id } = await findChange(query, given!);
    await query`select gold.decline_change(${id}::uuid, ${reason})`;
    return { object: { change_id: `chg_${id}`, status: "declined", reason } };
  },
};

async function findChange(query: Query, id: string): Promise<SqlRow> {
  const uuid = /^chg_([0-9a-f-]{36})$/.exec(id)?.[1];
  if (uuid === undefined) throw usage(`CHG must be an id such as chg_…; got ${id}. See: gold change list`);
  const [row] = await query`select * from gold.change_overview where id::text = ${uuid}`;
  if (!row) throw new Failure(EXIT.refused, "not_found", `There is no change ${id}.`);
  return row;
}

export const CHANGE_COMMANDS: readonly Command[] = [list, show, take, decline];
