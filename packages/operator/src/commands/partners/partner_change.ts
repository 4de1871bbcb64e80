import { isolate } from "@gold-partner/command-line";
import { formatGrams, parseIban } from "@gold-partner/protocol";
import type { Row } from "postgres";
import type { Command, Invocation, Result } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { parsed, repeated, required, wholeNumber } from "../../values.ts";
import { LIMIT_OPTIONS, LIMIT_USAGE, printLimits, readLimits } from "./partner_limits.ts";
import { readMaximum, readName, readRange, readRate, readWebhook } from "./partner_terms.ts";
import { type Change, changeAlone, confirmAlone, makeOrPropose, storedRanges } from "../changes/proposing.ts";
import { findPartner, openIbanWarning } from "./registered_partner.ts";

const set: Command = {
  words: "partner set",
  usage:
    "partner set ID [--name NAME] [--iban SA…] [--ip CIDR …] [--webhook https://…] [--rate N/s] [--burst N] [--max-grams G] " +
    LIMIT_USAGE,
  does:
    "changes only the options that are given. --ip replaces all addresses. --webhook enables a disabled endpoint, even if the URL stays the same. A new IBAN is a proposal; with a single operator, it waits for another login's approve-iban, and giving the registered IBAN cancels this request",
  options: {
    name: { type: "string" },
    iban: { type: "string" },
    ip: { type: "string", multiple: true },
    webhook: { type: "string" },
    rate: { type: "string" },
    burst: { type: "string" },
    "max-grams": { type: "string" },
    ...LIMIT_OPTIONS,
  },
  takes: ["ID"],
  run: setPartner,
};

async function setPartner(invocation: Invocation): Promise<Result> {
  const { values, db, positionals: [id] } = invocation;
  const read = <T>(name: string, parse: (text: string) => T): T | null => parsed(values, name, parse) ?? null;
  const name = values.name === undefined ? null : readName(values);
  const ips = repeated(values, "ip").map(readRange);
  const webhook = values.webhook === undefined
    ? null
    : await readWebhook(required(values, "webhook"), await (await db()).deployment());
  const rate = read("rate", readRate);
  const burst = read("burst", (text) => wholeNumber(text, "burst"));
  const maximum = read("max-grams", readMaximum);
  const iban = read("iban", parseIban);
  const terms = {
    ...(name === null ? {} : { name }),
    ...(ips.length > 0 ? { ips } : {}),
    ...(webhook === null ? {} : { webhook_url: webhook.url }),
    ...(rate === null ? {} : { rate_per_second: rate }),
    ...(burst === null ? {} : { burst }),
    ...(maximum === null ? {} : { maximum_grams: formatGrams(maximum) }),
  };
  const limits = readLimits(values);
  const changesLimits = Object.keys(limits).length > 0;
  const changesTerms = changesLimits || Object.keys(terms).length > 0;
  if (!changesTerms && iban === null) throw usage(`There is nothing to set. Usage: gold ${set.usage}`);
  const { sql } = await db();
  const changes: Change[] = [];
  if (changesTerms) {
    const content = {
      client_id: id!,
      ...terms,
      ...(ips.length > 0 ? { ips: await storedRanges(sql, ips) } : {}),
      ...(maximum === null ? {} : { maximum_grams: `${maximum}` }),
      ...(changesLimits ? { limits } : {}),
    };
    changes.push({ kind: "partner.set", content });
  }
  if (iban !== null) changes.push({ kind: "partner.iban", content: { client_id: id!, iban } });
  if (webhook || ips.length > 0) await confirmAlone(invocation, changes[0]!);
  const warn = iban === null ? undefined : await openIbanWarning(invocation, iban, id!);
  const made = await makeOrPropose(invocation, () =>
    sql.begin(async (transaction): Promise<Result> => {
      for (const change of changes) await changeAlone(transaction, change);
      const object = { client_id: id!, ...terms, ...printLimits(limits) };
      if (iban === null) return { object };
      // pending_iban is null after a request for the registered IBAN, which withdraws the pending request.
      const [partner] = await transaction`
        select public_id, name, iban, pending_iban from gold.partner_overview where public_id = ${id!}`;
      return { title: titleOf(partner!), object: { ...object, pending_iban: partner!.pending_iban } };
    }), () => {
    if (changes.length === 1) return changes[0]!;
    throw usage(
      "--iban must be given alone, because it is a proposal of its own, for people with the role treasury. Nothing was done.",
    );
  });
  warn?.(made);
  return { ...made, notice: webhook?.notice };
}

const titleOf = ({ public_id: id, name, iban, pending_iban: pending }: Row) =>
  pending
    ? `Another login must approve the IBAN ${pending} of ${
      isolate(name)
    }: gold partner approve-iban ${id}. Until then, withdrawals go to ${iban}. To withdraw the request, run \`gold partner set ${id} --iban ${iban}\`.`
    : `The requested IBAN was withdrawn. Withdrawals of ${isolate(name)} go to ${iban}, as before.`;

const approveIban: Command = {
  words: "partner approve-iban",
  usage: "partner approve-iban ID",
  does:
    "with a single operator, approves the new IBAN that another login requested; the partner's payouts are held for 24 hours",
  takes: ["ID"],
  async run({ query, confirm, positionals: [id] }) {
    const { name, iban, pending_iban: seen, pending_iban_by: by, pending_iban_at: at } = await findPartner(
      query,
      id!,
    );
    if (seen === null) {
      throw new Failure(
        EXIT.refused,
        "refused",
        `No new IBAN was requested. To request one: gold partner set ${id} --iban SA…`,
      );
    }
    const wayBack =
      `To go back, run \`gold partner set ${id} --iban ${iban}\`. It needs another person, too.`;
    await confirm(
      `${by} requested at ${at.toISOString()} that ${
        isolate(name)
      } is paid to ${seen} instead of ${iban}. Have you verified the new IBAN with the partner over another channel? ${wayBack}`,
    );
    // Approve only the IBAN that was shown. If another IBAN was requested meanwhile, the database refuses.
    const [row] = await query`select gold.approve_iban(${id!}, ${seen}) as held_until`;
    return {
      title:
        `Payouts are held until payouts_held_until, so that a wrong change can still be caught. ${wayBack}`,
      object: { client_id: id!, name, iban: seen, payouts_held_until: row!.held_until.toISOString() },
    };
  },
};

export const PARTNER_CHANGE_COMMANDS: readonly Command[] = [set, approveIban];
